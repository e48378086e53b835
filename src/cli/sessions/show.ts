/** `sessions show <route> <name>`: prints the messages of one session (a lasting conversation), as the agent of the route is given them. */

import { printable } from '../../core/text.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { describeMessages, describeSession, findConversation } from '../../operate/sessions.ts'
import { shownTime } from '../events/view.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { answer, type Cli } from '../shell/output.ts'

export type SessionsShowOptions = ProfileOption & { readonly limit?: number }

const defaultLimit = 99_999

export const sessionsShow = async (
  route: string,
  name: string,
  { limit = defaultLimit, ...of }: SessionsShowOptions,
  cli: Cli,
): Promise<number> => {
  const { workspace } = cli
  const conversation = await findConversation(workspace, gatewayAt(workspace), { ...of, route, name }, limit)
  const session = describeSession(conversation.session)
  const messages = describeMessages(conversation)
  const fields = Object.entries(session).map(([key, value]) => (value === null ? '' : `${key.padEnd(12)}${printable(String(value))}\n`))
  const said = messages.map(({ role, at, text }) => `\n${role}  ${shownTime(at)}\n${indentedLines(text)}`)
  return answer(cli, { kind: 'sessions.show', data: { ...session, messages }, text: [...fields, ...said].join('') })
}

const indentedLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => `  ${printable(line, 8_192)}\n`)
    .join('')
