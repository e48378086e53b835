/** Creates or updates a subscription, unless the server would not serve it. */

import { type Config, defaultProfile } from '../../config/config.ts'
import { readEntries, type Update, updateEntries } from '../../config/entry-store.ts'
import { loadConfig, unreadIn } from '../../config/load.ts'
import { readSubscription } from '../../config/subscriptions.ts'
import { type Diagnostic, diagnostic } from '../../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import type { Route } from '../../generated/config.ts'
import type { Effects } from '../../parts/effects.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { quietBook } from '../../plan/check.ts'
import { allSchemes, type Catalogue, checkRoute } from '../../plan/compile.ts'
import type { JobBook } from '../../plan/jobs.ts'
import { reviewRoute } from '../../plan/review/review.ts'
import { surroundings } from '../../plan/review/surroundings.ts'
import { adapterDisabled } from '../adapter-disabled.ts'
import { nearJobs } from '../jobs/jobs.ts'
import { withDryEffects } from '../live/effects.ts'
import { type Refusal, refusal } from '../refusal.ts'
import { adviceOf, type Warning, warningOf } from '../warning.ts'
import type { Workspace } from '../workspace.ts'
import { signingCurl } from './curl.ts'
import { routeUrl } from './route-address.ts'
import { shadowWarning, subscriptionsFile } from './routes.ts'
import { schemeOf } from './sign-test.ts'
import { type Change, changeEntry, type Wish } from './subscription-record.ts'

/** What a subscription is checked against: the configuration and parts that the server would serve it with. */
export type Served = {
  readonly ok: true
  readonly workspace: Workspace
  readonly config: Config
  readonly catalogue: Catalogue
  readonly notices: readonly string[]
}

/** Throws a Fault when the adapter is not enabled. */
export const readServed = async (workspace: Workspace): Promise<Served | Refusal> => {
  const { config, diagnostics, texts } = loadConfig(workspace)
  // Without its file the configuration cannot say whether the adapter is enabled.
  const unread = unreadIn({ diagnostics })
  if (unread.length > 0) return refusal('nothing was saved', unread, { texts })
  if (!config.enabled) throw adapterDisabled()
  const { catalogue, diagnostics: plugins } = await catalogueOf(config)
  const hasOthers = [...diagnostics, ...plugins].some(({ stopsStart }) => stopsStart)
  const notices = hasOthers ? [`the configuration has other problems: ${workspace.self} validate`] : []
  return { ok: true, workspace, config, catalogue, notices }
}

export type Subscribed = {
  readonly ok: true
  readonly change: Change
  readonly url: string
  /** The secret that was made for it, to be told once. */
  readonly newSecret: string | undefined
  /** The secret in use, with references resolved. */
  readonly secret: string
  /** What a test of it would be signed with. */
  readonly scheme: string
  /** A line that posts to it, where a shell can sign for the scheme. */
  readonly curl: string | undefined
  /** A configured route of the same name hides the subscription. */
  readonly shadowed: boolean
  readonly warnings: readonly Warning[]
}

/** Applies the wish to the stored subscription and saves it; a dry run does all but save. Throws a Fault. */
export const subscribe = async (served: Served, name: string, wish: Wish, dryRun: boolean): Promise<Subscribed | Refusal> => {
  const { config, workspace } = served
  const file = subscriptionsFile(workspace)
  const { change, secret, diagnostics, refused, likely } = await withDryEffects((effects) => {
    const update = updateOf(name, wish, { ...served, effects }, dryRun)
    return dryRun ? update(readEntries(file)).result : updateEntries(file, update)
  })
  if (refused) return refusal(`nothing was saved: "${name}" would not be served like this`, diagnostics)
  const shadowed = config.routes.has(name)
  const warnings = [
    ...diagnostics.map(warningOf),
    ...likely.map(adviceOf),
    ...(shadowed ? [shadowWarning({ name })] : []),
    ...secretWarning(name, change),
  ]
  const url = routeUrl(config, name, String(change.entry.profile ?? defaultProfile))
  const newSecret = change.secret === 'generated' && !dryRun ? secret : undefined
  return {
    ok: true,
    change,
    url,
    newSecret,
    secret,
    ...signing(change.entry, url, { secret, shown: newSecret, schemes: allSchemes(served.catalogue) }),
    shadowed,
    warnings,
  }
}

type Signing = { readonly secret: string; readonly shown: string | undefined; readonly schemes: readonly Scheme[] }

/** A secret that was given or kept is not shown again: the line reads it from the shell. */
const signing = (entry: JsonObject, url: string, { secret, shown, schemes }: Signing): Pick<Subscribed, 'scheme' | 'curl'> => {
  const scheme = schemeOf('auto', entry as Pick<Route, 'verify'>, secret, schemes)
  const events = (entry.events ?? []) as string[]
  const curl = scheme === 'v2' || scheme === 'none' ? signingCurl(url, scheme === 'none' ? secret : shown, events) : undefined
  return { scheme, curl }
}

type Tried = {
  readonly change: Change
  readonly secret: string
  readonly diagnostics: readonly Diagnostic[]
  readonly refused: boolean
  /** What holds, but is likely wrong: said, and saved all the same. */
  readonly likely: readonly Diagnostic[]
}

/** The change, to be applied to what is stored. It is checked as the server would, and kept only when it has no error. */
const updateOf =
  (
    name: string,
    wish: Wish,
    { config, catalogue, effects, workspace: { self } }: Served & { readonly effects: Effects },
    dryRun: boolean,
  ): Update<Tried> =>
  (entries) => {
    const stored = own(entries, name)
    const jobs = quietBook(config, catalogue)
    const change = changeEntry(name, stored, withJobId(wish, stored, jobs))
    const { route, diagnostics: shape } = readSubscription(name, change.entry, config, { place: nowhere })
    const compiled = route ? checkRoute(route, config, catalogue, { ...effects, jobs }) : []
    // The record is not in a file yet: a place would point nowhere.
    const found = [...shape, ...compiled].map(({ place: _, ...rest }) => withNearJobs(rest, change.entry, jobs, self))
    const diagnostics = [...found, ...refusedJob(change.entry, jobs, self)]
    const refused = diagnostics.some(({ severity }) => severity === 'error')
    const likely = route && !refused ? reviewRoute(route, surroundings(config, catalogue, new Map()), diagnostics) : []
    const result: Tried = { change, secret: route?.secrets[0] ?? '', diagnostics, refused, likely }
    const same = change.changed.length === 0 && !change.created
    return refused || dryRun || same ? { result } : { entries: { ...entries, [name]: change.entry }, result }
  }

/** Replaces the name of a job by its id, because another job may get that name later (rules: Jobs 6). */
const withJobId = (wish: Wish, stored: Json | undefined, jobs: JobBook): Wish => {
  const { cron_job: reference, profile } = wish.fields
  if (reference === undefined) return wish
  const bound = isObject(stored) && !wish.replace && typeof stored.profile === 'string' ? stored.profile : defaultProfile
  const [job, ...others] = jobs.find(profile ?? bound, reference)
  return job && others.length === 0 ? { ...wish, fields: { ...wish.fields, cron_job: job.id } } : wish
}

/** A mistake where the job that the route starts does not compile. The job's own diagnostics are not repeated. */
const refusedJob = ({ cron_job, profile = defaultProfile }: JsonObject, jobs: JobBook, self: string): Diagnostic[] => {
  if (typeof cron_job !== 'string' || !jobs.isRefused(String(profile), cron_job)) return []
  return [diagnostic('WH217', `the scheduled job "${cron_job}" has a mistake and does not run`, { help: `${self} cron show ${cron_job}` })]
}

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

const nowhere = () => ({ file: '', line: 1, column: 1, endLine: 1, endColumn: 1 })

const secretWarning = (name: string, { created, changed, rebound, entry }: Change): Warning[] => {
  if (created || !changed.includes('secret')) return []
  const why = rebound ? `"${name}" is bound to profile "${String(entry.profile)}" now` : `"${name}" is changed`
  return [{ code: 'new_secret', message: `${why} and ITS SECRET IS NEW: senders that hold the old one are refused until they are updated` }]
}
