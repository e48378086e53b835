/** Finds what a route would deliver for an event: the text, unless an agent writes it, and each target with its settings. */

import { exit, Fault } from '../../core/fault.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { readRoutes } from '../../datadir/routes.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { servedRoute } from '../../dryrun/requests/prepare-test.ts'
import type { Trace } from '../../dryrun/trace/trace.ts'
import { type TraceOptions, traceRoute } from '../../dryrun/trace/trace-route.ts'
import { secretsOfDelivery, withStoredSecrets } from '../../parts/destination.ts'
import { type WrittenTarget, writtenTargets } from '../../parts/written-targets.ts'
import { catalogueOf } from '../../plan/catalogue.ts'

export type RouteDeliveries = {
  readonly route: string
  readonly profile: string
  /** The rendered message; `undefined` where an agent would write it. */
  readonly text: string | undefined
  readonly to: readonly { readonly target: string; readonly extra: JsonObject }[]
}

/**
 * Returns the deliveries for an event; nothing is sent. Throws a Fault as `traceRoute` does, for an event that the route stops or gives to
 * a scheduled job, and where a setting of a target has no value on the event.
 */
export const deliveriesOfRoute = async (workspace: Workspace, name: string, of: TraceOptions['of']): Promise<RouteDeliveries> => {
  const entries = readRoutes(workspace)
  const { spec } = servedRoute(entries, name, workspace)
  const { catalogue } = await catalogueOf(entries.loaded.config)
  const traced = await traceRoute(workspace, name, { of, set: [], unset: [], runScripts: false })
  const { route, profile, starts } = traced
  if (!starts)
    throw unsentFault(
      `the route "${route}" stops this event: ${endInWords(traced)}`,
      `${workspace.self} webhook trace ${route}, with the same event, shows why`,
    )
  if (starts.mode === 'job')
    throw unsentFault(
      `the route "${route}" starts the job "${spec.cron_job}", which delivers`,
      `${workspace.self} cron run ${spec.cron_job}`,
    )
  const open = traced.placeholders.find(({ where, missing }) => missing && where.includes('deliver_extra'))
  if (open) throw unsentFault(`${open.where}: ${open.written} has no value on this event`, 'give another one with --sample or --event-id')
  const filled = [starts.extra].flat()
  return {
    route,
    profile,
    text: starts.mode === 'direct' ? starts.prompt : undefined,
    to: writtenTargets(spec).map((written, place) => {
      const { target } = written
      return { target, extra: wholeSettings(written, filled[place] ?? {}, catalogue.targets.get(target)?.withheld) }
    }),
  }
}

/** Returns the filled settings of a target with its secrets. Secrets are never stored, so they come from the configuration. */
export const wholeSettings = ({ extra }: WrittenTarget, filled: unknown, withheld: readonly string[] = []): JsonObject =>
  withStoredSecrets(isObject(filled) ? filled : {}, secretsOfDelivery(extra, withheld))

const endInWords = ({ name, stage, reason }: Trace): string => `${name} by ${stage}${reason === undefined ? '' : `, ${reason}`}`

const unsentFault = (why: string, hint: string): Fault => new Fault('unsent', `nothing was sent: ${why}`, { exitCode: exit.no, hint })
