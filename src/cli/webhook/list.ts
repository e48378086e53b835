/** `webhook list`: prints the subscriptions, with `--all` the configured routes too, one a line. Of a secret, the fingerprint is shown. */

import type { JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { type ListedRoute, listRoutes, routeState } from '../../datadir/routes.ts'
import { aligned, cellText } from '../shell/columns.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'

export type WebhookListOptions = { readonly all?: boolean; readonly wide?: boolean }

const maxDescription = 60

export const webhookList = async ({ all = false, wide = false }: WebhookListOptions, cli: Cli): Promise<number> => {
  const { routes, warnings } = listRoutes(cli.workspace, all)
  const rows = routes.map((route) => routeCells(route, { all, wide }))
  if (rows.length === 0) note(cli, `no subscriptions yet: ${cli.workspace.self} webhook subscribe <name>`)
  const head = [
    'NAME',
    ...(all ? ['SOURCE'] : []),
    'STATE',
    'MODE',
    'EVENTS',
    'DELIVER',
    'SECRET',
    ...(wide ? ['PROFILE', 'URL', 'CREATED'] : []),
  ]
  const lines = aligned(cli.io.isTty && rows.length > 0 ? [[...head, 'DESCRIPTION'], ...rows] : rows)
  const { dim } = paintWith(cli.io.colour)
  const text = lines.map((line, i) => `${cli.io.isTty && i === 0 ? dim(line) : line}\n`).join('')
  return answer(cli, {
    kind: 'webhook.list',
    data: { routes: routes.map(({ described }) => described) },
    text,
    ...(cli.json ? { warnings } : {}),
  })
}

const routeCells = ({ route, described: row }: ListedRoute, { all, wide }: Required<WebhookListOptions>): string[] => {
  const events = (row.events as string[]).join(',')
  const secret = row.secret as JsonObject | null
  const description = printable(String(row.description), wide ? 1024 : maxDescription)
  return [
    cellText(route.name),
    ...(all ? [route.source] : []),
    routeState(route),
    cellText(row.mode),
    cellText(events === '' ? '*' : events),
    cellText(row.deliver || (row.dispatch as string[]).join(',')),
    `${cellText(secret?.fingerprint)}${secret?.overlap_until === undefined ? '' : ` (old until ${secret.overlap_until})`}`,
    ...(wide ? [cellText(row.profile), cellText(row.url), cellText(row.created_at)] : []),
    description || '-',
  ]
}
