/** The contract of stages: a stage adds to a route's plan the gates that the route's keys ask for. */

import type { Authenticate, EventGate, Handshakes, HeadGate, MaskRequest, MayDeliver, Parse, Redaction } from '../../core/plan.ts'
import type { Adopt, Closable } from '../../core/scope.ts'
import type { OpenList } from '../../expr/named-lists.ts'
import type { Route, WebhookSettings } from '../../generated/config.ts'
import type { defaults } from '../../generated/defaults.ts'
import type { Effects } from '../effects.ts'
import type { FailedExpressions } from '../failed-expressions.ts'
import type { LookupPart } from '../lookups/lookup.ts'
import type { ExactOperator } from '../operators/operator.ts'
import type { RecompileAtReload, StageReport } from '../report.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { TargetPart } from '../targets/target.ts'

/** The keys of the adapter that are members of `Config` itself, and not of the settings. */
type KeptApart = 'routes' | 'secret' | 'host' | 'port'

/**
 * The settings of the adapter (`platforms.webhook.extra`), by their keys in the file. A key that has a default in the schema is always
 * there.
 */
export type AdapterSettings = Readonly<
  Omit<WebhookSettings, KeptApart> & Required<Pick<WebhookSettings, Exclude<keyof typeof defaults.webhook, KeptApart>>>
>

/** What a stage or an ending gets when it is compiled for a route. `name`: the name of the route; `profile`: the name of its profile. */
export type StageKit = {
  readonly name: string
  readonly profile: string
  readonly profileDir: string
  readonly openList: OpenList
  /** The path of the address: `/webhooks/<name>`, or `/p/<profile>/webhooks/<name>` for a route of a profile other than the default. */
  readonly path: string
  /**
   * The route's secrets or the global secret, with references resolved; for a route with `public_key`, the public keys. Empty where there
   * are none: each scheme of the route fetches its keys, or a Diagnostic says that there is no usable secret.
   */
  readonly secrets: readonly string[]
  /** Where secrets were replaced that still verify: the index of the first, and until when (wall time, milliseconds). */
  readonly overlap?: { readonly from: number; readonly untilMs: number } | undefined
  /** Which of the secrets come from programs, as `PROVIDER/ID`. */
  readonly provided?: readonly string[] | undefined
  /**
   * The settings of the adapter without the rate limit. A reload that changes any of these settings compiles all plans anew
   * (`src/plan/plan-settings.ts`). A change of the rate limit does not, so no plan may depend on it.
   */
  readonly adapter: Omit<AdapterSettings, 'rate_limit'>
  /** What the agents ask for of each event, by their names (`AgentSettings`). */
  readonly agents: ReadonlyMap<string, { readonly payload?: boolean; readonly envValues?: { readonly [name: string]: string } }>
  /** `required`: each post needs a client's certificate. `optional`: only routes that ask for one. Absent: the gateway asks for none. */
  readonly clientCertificates?: 'required' | 'optional' | undefined
  readonly effects: Effects
  readonly expressions: FailedExpressions
  readonly report: StageReport
  readonly recompileAtReload: RecompileAtReload
  /** Takes over what an operator or a scheme opened when it was compiled, and closes it together with the plan. */
  readonly adopt: Adopt
  /** The schemes that any route may use, and the schemes that this route names or describes. */
  readonly schemes: readonly Scheme[]
  readonly operators: ReadonlyMap<string, ExactOperator>
  readonly targets: ReadonlyMap<string, TargetPart>
  readonly lookups: ReadonlyMap<string, LookupPart>
}

/** The gates that a stage adds to a route's plan; an empty object where the route does not use the stage. */
export type Gates = {
  readonly onHead?: HeadGate
  readonly authenticate?: Authenticate
  readonly handshakes?: Handshakes
  readonly mask?: MaskRequest
  readonly redact?: Redaction
  readonly parse?: Parse
  readonly onEvent?: EventGate
  readonly mayDeliver?: MayDeliver
}

/** A stage. `compile` makes its gates for one route. */
export type StagePart = {
  readonly name: string
  compile(route: Route, kit: StageKit): Closable<Gates>
}
