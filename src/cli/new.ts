/** `new <name>`: writes a route into `config.yaml`. `webhook subscribe` makes a route at run time instead. */

import { shownFile } from '../core/diagnostic.ts'
import { exit, Fault } from '../core/fault.ts'
import { printable } from '../core/text.ts'
import { warningWithHelp } from '../datadir/warning.ts'
import { type WrittenRoute, writeNewRoute } from '../edit/saving/new-route.ts'
import { gatewayAt } from '../http/control/client.ts'
import type { RouteOptions } from './options/route.ts'
import { answer, type Cli } from './shell/output.ts'
import { paintWith } from './shell/paint.ts'
import { hunkText } from './validate/unified-diff.ts'
import { readSubscriptionInput } from './webhook/subscribe-options.ts'

export type NewOptions = RouteOptions & { readonly profile?: string; readonly dryRun?: boolean }

export const newRoute = async (name: string, { profile, ...options }: NewOptions, cli: Cli): Promise<number> => {
  const { workspace } = cli
  const isDry = options.dryRun === true
  const { from, fields } = await readSubscriptionInput({ ...options, ...(profile === undefined ? {} : { routeProfile: profile }) }, cli)
  const done = await writeNewRoute(workspace, gatewayAt(workspace), { name, from, fields, isDry })
  if (done.refused !== undefined) throw refusalFault(done)
  const warnings = done.findings.filter(({ severity }) => severity !== 'info').map(warningWithHelp)
  const { file, url, diff, notices } = done
  const paint = paintWith(cli.io.colour)
  const lines = [
    ...(isDry ? [`would be written into ${printable(shownFile(file), maxLine)}: ${done.name}`] : [`created  ${done.name}`]),
    ...diff.map((hunk) => hunkText(hunk, paint).trimEnd()),
    ...notices.map((notice) => `         ${printable(notice, maxLine)}`),
    `url      ${url}`,
    ...(isDry ? [] : [`next     ${workspace.self} webhook test ${done.name}, ${workspace.self} edit ${done.name}`]),
  ]
  const data = { name: done.name, file, url, dry_run: isDry, notices: [...notices] }
  return answer(cli, { kind: 'new', data, warnings, text: `${lines.join('\n')}\n` })
}

const maxLine = 1_024

/** Returns a Fault that says why the route was not written, with the first finding that stops a start, or else the first error. */
const refusalFault = ({ refused, findings }: WrittenRoute): Fault => {
  const first = findings.find(({ stopsStart }) => stopsStart) ?? findings.find(({ severity }) => severity === 'error')
  const firstFinding = first && !refused?.includes(first.message) ? `: ${first.code} ${first.message}` : ''
  const hint = first?.help === undefined ? {} : { hint: first.help }
  return new Fault('refused', `nothing was written: ${refused}${firstFinding}`, { exitCode: exit.no, ...hint })
}
