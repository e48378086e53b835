/** `relay status`: prints what the running relay keeps; exit 4 where none runs. */

import { printable } from '../../core/text.ts'
import { readRelay } from '../../relay/front/relay-settings.ts'
import type { LaneStatus, RelayedGatewayStatus } from '../../relay/front/relay-status.ts'
import { askRelay } from '../../relay/front/running-relay.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli } from '../shell/output.ts'
import { refuseUnusable } from '../shell/refuse.ts'

export const relayStatus = async (cli: Cli): Promise<number> => {
  const { dataDir } = cli.workspace
  const { settings, diagnostics, texts } = readRelay(dataDir, cli.io.env)
  if (!settings) return refuseUnusable(cli, diagnostics, texts)
  const gateways = await askRelay(dataDir, settings)
  const note = 'a relay verifies nothing: what is forged is kept too, until its gateway refuses it\n'
  const data = JSON.parse(JSON.stringify({ verifies: false, gateways }))
  return answer(cli, { kind: 'relay.status', data, text: `${gateways.map(gatewayText).join('\n')}${note}` })
}

const gatewayText = ({ gateway, connected, items, bytes, routes, ended }: RelayedGatewayStatus): string => {
  const head = `${printable(gateway)}: ${connected ? 'connected' : 'not connected'}, ${items} kept, ${bytes} bytes`
  const rows = routes.length === 0 ? [] : [['  route', 'kept', 'bytes', 'oldest', 'so far'], ...routes.map(rowOf)]
  const ends = ended.map(({ id, route, at, why }) => `  not taken: ${id} of ${printable(route)}, came ${at}, ${printable(why)}`)
  return `${[head, ...aligned(rows), ...ends].join('\n')}\n`
}

const rowOf = ({ route, items, bytes, age_seconds: age, counts }: LaneStatus): string[] => {
  const soFar = Object.entries(counts).map(([what, number]) => `${number} ${what}`)
  return [`  ${printable(route)}`, String(items), String(bytes), age === undefined ? '-' : `${age} s ago`, soFar.join(', ')]
}
