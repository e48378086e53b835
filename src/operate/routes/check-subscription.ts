/** Checks a subscription's new entry as the gateway would check it, before the entry is saved. */

import { type Config, defaultProfile, type RouteSource } from '../../config/config.ts'
import { loadConfig, unreadIn } from '../../config/load.ts'
import { readSubscription } from '../../config/subscriptions.ts'
import { type Diagnostic, diagnostic } from '../../core/diagnostic.ts'
import type { JsonObject } from '../../core/json.ts'
import { adapterDisabled, type Refusal, refusal } from '../../datadir/refusal.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { Effects } from '../../parts/effects.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { type Catalogue, checkRoute } from '../../plan/compile.ts'
import type { JobBook } from '../../plan/jobs.ts'
import { reviewRoute } from '../../plan/review/review.ts'
import { reviewContext } from '../../plan/review/review-context.ts'
import { nearJobs } from '../jobs/jobs.ts'

/** The configuration and the parts with which the gateway would serve a subscription. `notices`: sentences for the user. */
export type SubscriptionContext = {
  readonly ok: true
  readonly workspace: Workspace
  readonly config: Config
  readonly catalogue: Catalogue
  readonly notices: readonly string[]
}

/**
 * Reads the configuration and its parts. Returns a refusal when a file cannot be read. Throws a Fault when the webhook adapter is not
 * enabled.
 */
export const readSubscriptionContext = async (workspace: Workspace): Promise<SubscriptionContext | Refusal> => {
  const { config, diagnostics, texts } = loadConfig(workspace)
  // A configuration whose file cannot be read does not say whether the adapter is enabled.
  const unread = unreadIn({ diagnostics })
  if (unread.length > 0) return refusal('nothing was saved', unread, { texts })
  if (!config.enabled) throw adapterDisabled()
  const { catalogue, diagnostics: plugins } = await catalogueOf(config)
  const hasOthers = [...diagnostics, ...plugins].some(({ stopsStart }) => stopsStart)
  const notices = hasOthers ? [`the configuration has other problems: ${workspace.self} validate`] : []
  return { ok: true, workspace, config, catalogue, notices }
}

/** The result of a check. `route` is absent where the entry does not have the shape of a route. */
type CheckedEntry = {
  readonly route?: RouteSource
  readonly diagnostics: readonly Diagnostic[]
  /** Findings about settings that are valid but likely wrong. Such findings are reported, and the entry is saved all the same. */
  readonly likely: readonly Diagnostic[]
}

/** Compiles the entry as the gateway would, and returns the mistakes, and the findings about likely mistakes. */
export const checkEntry = (
  name: string,
  entry: JsonObject,
  { config, catalogue, workspace: { self } }: SubscriptionContext,
  effects: Effects & { readonly jobs: JobBook },
): CheckedEntry => {
  const { route, diagnostics: shape } = readSubscription(name, entry, config, { place: noPlace })
  const compiled = route ? checkRoute(route, config, catalogue, effects) : []
  // The entry is not in a file yet, so the place of a diagnostic would point nowhere.
  const found = [...shape, ...compiled].map(({ place: _, ...rest }) => withNearJobs(rest, entry, effects.jobs, self))
  const diagnostics = [...found, ...refusedJob(entry, effects.jobs, self)]
  const isRefused = diagnostics.some(({ severity }) => severity === 'error')
  const likely = route && !isRefused ? reviewRoute(route, reviewContext(config, catalogue, new Map()), diagnostics) : []
  return { ...(route ? { route } : {}), diagnostics, likely }
}

/** Returns a mistake where the job that the route starts does not compile. The job's own diagnostics are not repeated. */
const refusedJob = ({ cron_job, profile = defaultProfile }: JsonObject, jobs: JobBook, self: string): Diagnostic[] => {
  if (typeof cron_job !== 'string' || !jobs.isRefused(String(profile), cron_job)) return []
  return [diagnostic('WH217', `the scheduled job "${cron_job}" has a mistake and does not run`, { help: `${self} cron show ${cron_job}` })]
}

/** Adds the names of similar jobs to a Diagnostic of an unknown job (WH217). Returns other Diagnostics as they are. */
const withNearJobs = (each: Diagnostic, { cron_job, profile = defaultProfile }: JsonObject, jobs: JobBook, self: string): Diagnostic => {
  if (each.code !== 'WH217') return each
  const suggest = nearJobs(
    String(cron_job),
    jobs.all().filter((job) => job.profile === profile),
  )
  return {
    ...each,
    suggest,
    help: suggest.length > 0 ? `did you mean ${suggest.map((word) => `"${word}"`).join(' or ')}?` : `${self} cron list`,
  }
}

const noPlace = () => ({ file: '', line: 1, column: 1, endLine: 1, endColumn: 1 })
