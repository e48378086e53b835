/** `sessions list`: prints the sessions (lasting conversations of routes) that the running gateway knows, one a line. */

import { gatewayAt } from '../../http/control/client.ts'
import { checkSources } from '../../operate/events/selection-words.ts'
import { describeSession, listSessions } from '../../operate/sessions.ts'
import { shownTime, tableCell } from '../events/view.ts'
import { aligned } from '../shell/columns.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'

export type SessionsListOptions = ProfileOption & { readonly route?: string; readonly limit?: number }

const defaultLimit = 50

export const sessionsList = async ({ limit = defaultLimit, ...of }: SessionsListOptions, cli: Cli): Promise<number> => {
  const { io, workspace } = cli
  const page = await listSessions(gatewayAt(workspace), of, limit)
  const sessions = page.sessions.map(describeSession)
  if (sessions.length === 0) {
    await checkSources(workspace, of)
    note(cli, 'no such sessions: a route with `session` makes one for each key')
  }
  if (page.more) note(cli, `there are more than ${limit}: --limit shows them`)
  const rows = sessions.map(({ route, name, profile, platform, chat, thread, count, updated_at }) => [
    tableCell(route),
    tableCell(name),
    tableCell(profile),
    tableCell(platform === null ? undefined : [platform, chat, ...(thread === null ? [] : [thread])].join(' ')),
    tableCell(count),
    shownTime(updated_at),
  ])
  const head = ['ROUTE', 'NAME', 'PROFILE', 'CHAT', 'MESSAGES', 'LATEST']
  const { dim } = paintWith(io.colour)
  const lines = aligned(io.isTty && rows.length > 0 ? [head, ...rows] : rows)
  const text = lines.map((line, i) => `${io.isTty && i === 0 ? dim(line) : line}\n`).join('')
  return answer(cli, { kind: 'sessions.list', data: { sessions, more: page.more }, text })
}
