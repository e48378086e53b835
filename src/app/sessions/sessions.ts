/** The lasting conversations that the running gateway keeps: which there are, and what was said in one. */

import { type SessionFilter, wordsOf } from '../../core/agent/session.ts'
import { exit, Fault } from '../../core/fault.ts'
import { nearest } from '../../core/text.ts'
import type { Conversation, SessionView } from '../../generated/control.ts'
import type { GatewayFinder } from '../running-gateway.ts'
import type { Workspace } from '../workspace.ts'

/** More than a store keeps. */
const all = 99_999

export type SessionList = { readonly sessions: readonly SessionView[]; readonly more: boolean }

/** Those with the latest messages first. Throws a Fault where no gateway runs. */
export const listSessions = async (gateway: GatewayFinder, of: SessionFilter, max: number): Promise<SessionList> => {
  const { sessions } = await (await gateway.need()).sessions({ ...of, max: max + 1 })
  return { sessions: sessions.slice(0, max), more: sessions.length > max }
}

/** Throws a Fault where there is none of this name (exit 5), or where several profiles have one. */
export const findConversation = async (
  workspace: Workspace,
  finder: GatewayFinder,
  { name, ...of }: SessionFilter & { readonly route: string; readonly name: string },
  max: number,
): Promise<Conversation> => {
  const gateway = await finder.need()
  const { sessions } = await gateway.sessions({ ...of, max: all })
  const [found, ...others] = sessions.filter((session) => session.name === name)
  if (found && others.length > 0) {
    const profiles = [found, ...others].map(({ profile }) => profile).join(', ')
    throw new Fault('usage', `several profiles have such a session: ${profiles}`, { exitCode: exit.usage, hint: 'name one by --profile' })
  }
  const { conversation } = found ? await gateway.conversation({ key: found.key, max }) : {}
  if (conversation) return conversation
  throw new Fault('not_found', `route "${of.route}" has no session "${name.slice(0, 100)}"`, {
    exitCode: exit.notFound,
    suggest: nearest(
      name,
      sessions.map((session) => session.name),
    ),
    hint: `${workspace.self} sessions list shows those there are`,
  })
}

/** A session for a reader. `created_at` and `updated_at`: ISO 8601, UTC. */
export const describeSession = ({ profile, route, name, place, messages, createdAt, updatedAt }: SessionView) => ({
  profile,
  route,
  name,
  platform: place?.platform ?? null,
  chat: place?.chat ?? null,
  thread: place?.thread ?? null,
  count: messages,
  created_at: new Date(createdAt).toISOString(),
  updated_at: new Date(updatedAt).toISOString(),
})

/** `label`: the route of which the message is a copy. The text is as the agent is given it. */
export const describeMessages = ({ messages }: Conversation) =>
  messages.map((message) => ({
    role: message.role,
    at: new Date(message.at).toISOString(),
    label: message.label ?? null,
    text: wordsOf(message),
  }))
