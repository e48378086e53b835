/** Traces an event through a route as the files of a data directory now have it. No gateway needs to run. */

import type { Config, RouteSource } from '../../config/config.ts'
import { systemClock } from '../../core/clock.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import type { VerifiedRequest } from '../../core/request.ts'
import { withRecords } from '../../datadir/records/open-records.ts'
import { repeatRequest } from '../../datadir/records/request-again.ts'
import { readRoutes } from '../../datadir/routes.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { Effects } from '../../parts/effects.ts'
import { shownAddress } from '../../parts/operators/in-list.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { quietBook } from '../../plan/check.ts'
import { runScript } from '../../process/script.ts'
import { FetchedLists } from '../../serve/fetched-lists.ts'
import { lookupAccess } from '../../serve/lookup-access.ts'
import { Lookups } from '../../serve/lookups.ts'
import { servedRoute } from '../requests/prepare-test.ts'
import { findSample, readSample } from '../samples/gallery.ts'
import type { Sample } from '../samples/sample-file.ts'
import { type AroundRoute, asPosted } from './as-posted.ts'
import { createDryEffects, silentLog } from './dry-effects.ts'
import { openGivenList } from './given-lists.ts'
import { givenLookups } from './given-lookups.ts'
import { type Trace, type Traced, trace } from './trace.ts'

/** The content of a request: the name of a sample, a sample itself, or a body. */
type Content = { readonly sample: string } | { readonly payload: string } | Sample

export type TraceOptions = {
  /** The id of a recorded event, or the content of a new request, which is signed as the route's senders sign. */
  readonly of: { readonly eventId: string } | Content
  /** The event type and the name of the scheme for a new request. Absent: chosen by the route and the content. */
  readonly event?: string | undefined
  readonly scheme?: string | undefined
  /** The query of the address of a new request, without its question mark. */
  readonly query?: string | undefined
  readonly method?: string | undefined
  /** Values to set in the body of a new request (`path=value`), and the paths of values to remove. */
  readonly set: readonly string[]
  readonly unset: readonly string[]
  /** Whether scripts run. Beside them and lookups that are asked, nothing in a trace has an effect outside of the trace. */
  readonly runScripts: boolean
  /** The answers to the route's lookups by their names, or `ask`: the lookups are asked. Absent: they are not asked. */
  readonly lookups?: JsonObject | 'ask' | undefined
  /**
   * Lists that conditions ask, as `openGivenList` takes them. The others are those of the data directory, and those at addresses where
   * lookups are asked.
   */
  readonly lists?: JsonObject | undefined
}

/** Traces an event. Throws a Fault for a route that is missing or not valid, and as `requestToTrace` does. */
export const traceRoute = async (workspace: Workspace, name: string, options: TraceOptions): Promise<Trace> => {
  const entries = readRoutes(workspace)
  const source = servedRoute(entries, name, workspace)
  const { config } = entries.loaded
  const { catalogue } = await catalogueOf(config)
  const traced = await requestToTrace(workspace, source, { config, catalogue }, options)
  const asked = new Set<string>()
  const effects = {
    jobs: quietBook(config, catalogue),
    clock: systemClock,
    ...(options.runScripts ? { script: runScript } : {}),
    ...lookupEffect(options.lookups, config, asked),
    openList: listsEffect(options, asked),
  }
  const told = await trace(traced, { source, config, catalogue, effects })
  return { ...told, ...(asked.size > 0 ? { asked: [...asked] } : {}) }
}

/** Returns the effect that answers lookups, and adds those that it asks. They are of one trace, so no answer is kept. */
const lookupEffect = (
  lookups: TraceOptions['lookups'],
  { profiles }: Pick<Config, 'profiles'>,
  asked: Set<string>,
): Pick<Partial<Effects>, 'lookup'> => {
  if (lookups === undefined) return {}
  if (lookups !== 'ask') return { lookup: givenLookups({ answers: lookups }) }
  const asking = new Lookups(systemClock)
  return {
    lookup(question) {
      asked.add(`lookup.${question.name}`)
      return asking.ask(question, lookupAccess(question.part, profiles.get(question.profile)))
    },
  }
}

/** Returns the effect that opens lists, and adds the addresses that it fetches. They are of one trace, so no list is kept. */
const listsEffect = ({ lookups, lists = {} }: TraceOptions, asked: Set<string>): Effects['openList'] => {
  const fetched = lookups === 'ask' ? new FetchedLists({ clock: systemClock, log: silentLog, facts: { emit: () => {} } }) : undefined
  const { openList } = createDryEffects()
  return (spec, dataDir) => {
    const given = openGivenList(spec, lists)
    if (given || !fetched || 'store' in spec) return given ?? openList(spec, dataDir)
    asked.add(`list ${shownAddress(spec.url)}`)
    return fetched.open(spec)
  }
}

/**
 * Returns the request to trace: the request of a recorded event as it came, or a new request as the sender of the route would post it.
 * Throws a Fault for a missing event or sample, and for a request that was not kept or cannot be made.
 */
export const requestToTrace = async (
  workspace: Workspace,
  source: RouteSource,
  around: AroundRoute,
  { of, ...options }: Omit<TraceOptions, 'runScripts' | 'lookups' | 'lists'>,
): Promise<Traced> =>
  'eventId' in of
    ? { kind: 'verified', request: await recordedRequest(workspace, of.eventId) }
    : asPosted(source, around, {
        ...options,
        of: 'sample' in of ? readSample(findSample(workspace, of.sample)) : of,
        at: systemClock.now(),
      })

/**
 * Returns the request of a recorded event, as if it came again now. Throws a Fault where there is no such event, where its request was not
 * kept, and where its signature did not hold.
 */
export const recordedRequest = async (workspace: Workspace, eventId: string): Promise<VerifiedRequest> => {
  const again = await withRecords(workspace, (records) => repeatRequest(records, eventId, { at: systemClock.now(), sameId: true }))
  if (again.found && 'request' in again) return again.request
  if (again.found)
    throw new Fault('unverified', 'its signature did not hold when it came', {
      exitCode: exit.no,
      hint: `${workspace.self} events replay ${eventId} --dry-run verifies it again, and says what it would start`,
    })
  throw new Fault('not_found', again.why, { exitCode: exit.notFound, hint: `${workspace.self} events list` })
}
