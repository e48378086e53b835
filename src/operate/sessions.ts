/** Lists the sessions of the running gateway, and reads the conversation of a session. */

import { exit, Fault } from '../core/fault.ts'
import { readableMessage, type SessionFilter } from '../core/session.ts'
import { nearest } from '../core/text.ts'
import type { GatewayFinder } from '../datadir/running-gateway.ts'
import type { Workspace } from '../datadir/workspace.ts'
import type { Conversation, SessionView } from '../generated/control.ts'

/** The most sessions that are read when a session is searched for by its name. No store keeps as many. */
const maxListed = 99_999

/** `more`: further sessions exist, which the limit left out. */
export type SessionList = { readonly sessions: readonly SessionView[]; readonly more: boolean }

/** Lists at most `max` sessions, those with the latest messages first. Throws a Fault where no gateway runs. */
export const listSessions = async (gateway: GatewayFinder, of: SessionFilter, max: number): Promise<SessionList> => {
  const { sessions } = await (await gateway.need()).sessions({ ...of, max: max + 1 })
  return { sessions: sessions.slice(0, max), more: sessions.length > max }
}

/**
 * Finds the conversation of the session `name` of a route, with its last `max` messages. Throws a Fault where no gateway runs, where no
 * session has this name (exit 5), and where sessions of several profiles have it.
 */
export const findConversation = async (
  workspace: Workspace,
  finder: GatewayFinder,
  { name, ...of }: SessionFilter & { readonly route: string; readonly name: string },
  max: number,
): Promise<Conversation> => {
  const gateway = await finder.need()
  const { sessions } = await gateway.sessions({ ...of, max: maxListed })
  const [match, ...others] = sessions.filter((session) => session.name === name)
  if (match && others.length > 0) {
    const profiles = [match, ...others].map(({ profile }) => profile).join(', ')
    throw new Fault('usage', `several profiles have such a session: ${profiles}`, { exitCode: exit.usage, hint: 'name one by --profile' })
  }
  const { conversation } = match ? await gateway.conversation({ key: match.key, max }) : {}
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

/** Describes a session for JSON output. `count`: the number of its messages. `created_at` and `updated_at`: ISO 8601, UTC. */
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

/**
 * Describes the messages of a conversation for JSON output. `label`: the route whose delivery the message is a copy of; `null` for a
 * message of the session itself. `text`: the text that the agent gets.
 */
export const describeMessages = ({ messages }: Conversation) =>
  messages.map((message) => ({
    role: message.role,
    at: new Date(message.at).toISOString(),
    label: message.label ?? null,
    text: readableMessage(message),
  }))
