/** The contract of stages: a stage adds to a route's plan the gates that the route's keys ask for. */

import type { Adopt, Closable } from '../../core/owner.ts'
import type { Authenticate, EventGate, Handshakes, HeadGate, MaskRequest, Parse } from '../../core/plan.ts'
import type { Route, WebhookSettings } from '../../generated/config.ts'
import type { defaults } from '../../generated/defaults.ts'
import type { Effects } from '../effects.ts'
import type { OperatorPart } from '../operators/operator.ts'
import type { RecompileAtReload, Report } from '../report.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { TargetPart } from '../targets/target.ts'

/** The keys that `Config` keeps outside of the adapter's settings. Flags and environment variables may override some of them. */
type KeptApart = 'routes' | 'secret' | 'host' | 'port'

/** The settings of the adapter (`platforms.webhook.extra`), by their keys in the file. A key with a default in the schema is always there. */
export type AdapterSettings = Readonly<
  Omit<WebhookSettings, KeptApart> & Required<Pick<WebhookSettings, Exclude<keyof typeof defaults.webhook, KeptApart>>>
>

export type StageKit = {
  readonly name: string
  readonly profile: string
  readonly profileDir: string
  /** The path of the route's address: `/webhooks/<name>`, or `/p/<profile>/webhooks/<name>` for a route of a profile other than the default. */
  readonly path: string
  /** The route's secrets, with references resolved. Empty only when a Diagnostic was reported. */
  readonly secrets: readonly string[]
  /** Without the rate limit, because a reload that changes any of these settings makes all plans anew (`src/plan/plan-settings.ts`). */
  readonly adapter: Omit<AdapterSettings, 'rate_limit'>
  readonly effects: Effects
  readonly report: Report
  readonly recompileAtReload: RecompileAtReload
  /** Takes over what operators and schemes return, and closes it together with the plan. */
  readonly adopt: Adopt
  readonly schemes: readonly Scheme[]
  readonly operators: ReadonlyMap<string, OperatorPart>
  readonly targets: ReadonlyMap<string, TargetPart>
}

/** The gates that a stage adds to a route's plan. A route that does not use the stage gets none. */
export type Gates = {
  readonly onHead?: HeadGate
  readonly authenticate?: Authenticate
  readonly handshakes?: Handshakes
  readonly mask?: MaskRequest
  readonly parse?: Parse
  readonly onEvent?: EventGate
}

export type StagePart = {
  readonly name: string
  compile(route: Route, kit: StageKit): Closable<Gates>
}
