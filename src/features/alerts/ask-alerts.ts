/** Lists the rules of alerts with what fires, sends test messages, and mutes alerts for a time. */

import { type Loaded, loadConfig } from '../../config/load.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { nearest } from '../../core/text.ts'
import { type Refusal, refusal } from '../../datadir/refusal.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { Alerts, AlertTested } from '../../generated/control.ts'
import { deliveriesOf } from '../../parts/destination.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { type AlertKind, alertKinds, compileAlerts } from './rules.ts'

type RuleView = {
  /** The place of the rule in the list of rules, from 1. */
  readonly number: number
  readonly kinds: readonly AlertKind[]
  readonly targets: readonly string[]
}

/** `alerts`: what the running gateway says; absent where none runs, or where it has no alerts. */
export type AlertList = { readonly ok: true; readonly rules: readonly RuleView[]; readonly isRunning: boolean; readonly alerts?: Alerts }

/** Lists the rules of the configuration, and what fires in the running gateway. Returns a Refusal where the rules cannot be used. */
export const listAlerts = async (workspace: Workspace, finder: GatewayFinder): Promise<AlertList | Refusal> => {
  const rules = await readRules(workspace)
  if (!Array.isArray(rules)) return rules as Refusal
  const gateway = await finder.find()
  const { alerts } = (await gateway?.alerts()) ?? {}
  return { ok: true, rules, isRunning: gateway !== undefined, ...(alerts ? { alerts } : {}) }
}

const readRules = async (workspace: Workspace): Promise<readonly RuleView[] | Refusal> => {
  const { config, diagnostics, texts }: Loaded = loadConfig(workspace)
  const { catalogue } = await catalogueOf(config)
  const compiled = compileAlerts(config, catalogue.targets)
  const wrong = [...diagnostics.filter(({ pointer }) => pointer.startsWith('/alerts')), ...compiled.diagnostics].filter(
    ({ stopsStart }) => stopsStart,
  )
  if (wrong.length > 0) return refusal('the alerts cannot be read', wrong, { texts })
  return compiled.rules.map(({ number, has, destination }) => ({
    number,
    kinds: alertKinds.filter(has),
    targets: deliveriesOf(destination).map(({ target }) => target),
  }))
}

/**
 * Lets the running gateway send a test message to the targets of a rule, or of all rules. Throws a Fault where no gateway runs, and where
 * the gateway has no such rule, or no rule at all.
 */
export const testAlerts = async (
  workspace: Workspace,
  finder: GatewayFinder,
  rule: number | undefined,
): Promise<readonly AlertTested[]> => {
  const { sent } = await (await finder.need()).testAlerts(rule === undefined ? {} : { rule })
  if (sent.length > 0) return sent
  const what = rule === undefined ? 'the gateway has no alerts' : `the gateway has no alert rule ${rule}`
  throw new Fault('not_found', what, { exitCode: exit.notFound, hint: `${workspace.self} alerts list` })
}

/**
 * Lets the running gateway mute alerts for `ms` milliseconds; 0 ends the mute. Throws a Fault for a name that no alert can have, where no
 * gateway runs, and where the gateway has no alerts.
 */
export const muteAlerts = async (workspace: Workspace, finder: GatewayFinder, name: string, ms: number): Promise<void> => {
  const [kind = ''] = name.split(':')
  if (name !== 'all' && !alertKinds.some((each) => each === kind)) {
    const suggest = nearest(kind, alertKinds)
    const hint = `"all", a kind, or a kind with its subject, such as silence:orders; kinds: ${alertKinds.join(', ')}`
    throw suggest.length > 0
      ? new Fault('usage', `no alert has the name "${name}"`, { exitCode: exit.usage, suggest, hint })
      : usage(`no alert has the name "${name}"`, hint)
  }
  const { found } = await (await finder.need()).muteAlerts({ name, seconds: ms / 1000 })
  if (!found) throw new Fault('not_found', 'the gateway has no alerts', { exitCode: exit.notFound, hint: `${workspace.self} alerts list` })
}
