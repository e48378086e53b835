/**
 * `targets list`: prints the delivery targets, one a line, and whether the settings of a profile connect each target. Where a gateway runs,
 * a line follows for each address of a target that is down.
 */

import type { JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { readBreakers } from '../../features/breaker/breakers.ts'
import type { OpenBreaker } from '../../generated/control.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { type KnownTarget, readTargets } from '../../operate/targets/targets.ts'
import { aligned } from '../shell/columns.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'

export type TargetsListOptions = ProfileOption

export const targetsList = async (options: TargetsListOptions, cli: Cli): Promise<number> => {
  const { profile, targets, warnings, notices } = await readTargets(cli.workspace, options.profile)
  const breakers = await readBreakers(gatewayAt(cli.workspace))
  note(cli, ...notices)
  const rows = targets.map(targetCells)
  const lines = aligned(cli.io.isTty ? [['TARGET', 'STATE', 'HOME', 'CONNECTED BY'], ...rows] : rows)
  const { dim } = paintWith(cli.io.colour)
  return answer(cli, {
    kind: 'targets.list',
    data: { profile, targets: targets.map(targetData), ...(breakers ? { breakers: breakers.map((breaker) => ({ ...breaker })) } : {}) },
    text: [...lines.map((line, i) => `${cli.io.isTty && i === 0 ? dim(line) : line}\n`), ...(breakers ?? []).map(breakerLine)].join(''),
    warnings,
  })
}

const targetCells = ({ name, state, missing, hasHomeChannel, ways }: KnownTarget): string[] => [
  name,
  missing.length > 0 ? `${state}: ${missing.join(', ')}` : state,
  hasHomeChannel ? 'home channel' : '-',
  state === 'missing' ? ways.join('; or ') : '',
]

const breakerLine = ({ target, address, opened_at, retry_at, state, waiting, reason }: OpenBreaker): string => {
  const next = state === 'half_open' ? 'a trial is under way' : `next trial ${retry_at}`
  return `down since ${opened_at}: ${printable(`${target} ${address}`.trim())}, ${next}, ${waiting === 1 ? '1 run waits' : `${waiting} runs wait`}: ${printable(reason)}\n`
}

const targetData = ({ name, state, missing, ways, hasHomeChannel, isPlugin }: KnownTarget): JsonObject => ({
  name,
  state,
  missing: [...missing],
  ways: [...ways],
  has_home_channel: hasHomeChannel,
  plugin: isPlugin,
})
