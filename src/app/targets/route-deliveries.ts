/** What a route would deliver of an event: the text, where no agent writes it, and each of its targets with its own settings. */

import { exit, Fault } from '../../core/fault.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { secretsIn, type WrittenTarget, withSecrets, writtenTargets } from '../../parts/destination.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { servedRoute } from '../routes/prepare-test.ts'
import { readRoutes } from '../routes/routes.ts'
import type { Trace } from '../trace/trace.ts'
import { type TraceWish, traceRoute } from '../trace/trace-route.ts'
import type { Workspace } from '../workspace.ts'

export type RouteDeliveries = {
  readonly route: string
  readonly profile: string
  /** The rendered message; `undefined` where an agent would write it. */
  readonly text: string | undefined
  readonly to: readonly { readonly target: string; readonly extra: JsonObject }[]
}

/** Nothing is sent. Throws a Fault: there is no such route or event, the route stops the event, or a setting has no value on it. */
export const deliveriesOfRoute = async (workspace: Workspace, name: string, of: TraceWish['of']): Promise<RouteDeliveries> => {
  const known = readRoutes(workspace)
  const { spec } = servedRoute(known, name, workspace)
  const { catalogue } = await catalogueOf(known.loaded.config)
  const traced = await traceRoute(workspace, name, { of, set: [], unset: [], runScripts: false })
  const { route, profile, starts } = traced
  if (!starts)
    throw unsent(
      `the route "${route}" stops this event: ${endOf(traced)}`,
      `${workspace.self} webhook trace ${route}, with the same event, shows why`,
    )
  if (starts.mode === 'job')
    throw unsent(`the route "${route}" starts the job "${spec.cron_job}", which delivers`, `${workspace.self} cron run ${spec.cron_job}`)
  const open = traced.placeholders.find(({ where, missing }) => missing && where.includes('deliver_extra'))
  if (open) throw unsent(`${open.where}: ${open.written} has no value on this event`, 'give another one with --sample or --event-id')
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

/** Filled in settings of a target, with the secrets that are read from what is written only, because they are never stored. */
export const wholeSettings = ({ extra }: WrittenTarget, filled: unknown, withheld: readonly string[] = []): JsonObject =>
  withSecrets(isObject(filled) ? filled : {}, secretsIn(extra, withheld))

const endOf = ({ name, stage, reason }: Trace): string => `${name} by ${stage}${reason === undefined ? '' : `, ${reason}`}`

const unsent = (why: string, hint: string): Fault => new Fault('unsent', `nothing was sent: ${why}`, { exitCode: exit.no, hint })
