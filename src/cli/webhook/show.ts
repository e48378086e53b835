/** `webhook show <name>`: prints one whole route as YAML, with its secrets masked. */

import { carryDigits } from '../../core/carried-numbers.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { readRouteDetail, routeState } from '../../datadir/routes.ts'
import { dumpWritten } from '../../datadir/yaml-text.ts'
import { answer, type Cli } from '../shell/output.ts'

export const webhookShow = async (name: string, cli: Cli): Promise<number> => {
  const { route, described, fields, warnings } = readRouteDetail(cli.workspace, name)
  const head: JsonObject = { name: route.name, source: route.source, state: routeState(route), url: described.url ?? '' }
  const text = dumpWritten({ ...head, ...(isObject(fields) ? fields : { written: fields }) }, { lineWidth: -1, noRefs: true })
  const lines = text.trimEnd().split('\n')
  return answer(cli, {
    kind: 'webhook.show',
    data: { ...described, fields: carryDigits(fields) },
    text: lines.map((line) => `${printable(line, 8192)}\n`).join(''),
    warnings,
  })
}
