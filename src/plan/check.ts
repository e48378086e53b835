/** Checks a data directory: the loaded configuration, and every route, subscription and job as the server compiles it. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config, JobSource, Profile, RouteSource } from '../config/config.ts'
import { isPauseNote, jobsFileOf, readStoredJob } from '../config/jobs.ts'
import { type Loaded, unreadIn } from '../config/load.ts'
import { type PartialRoute, partialSubscriptionOf, withoutConsequences } from '../config/partial-route.ts'
import { readSubscription, subscriptionsFileName } from '../config/subscriptions.ts'
import { checkTls } from '../config/tls/check-tls.ts'
import type { Source } from '../config/yaml/source.ts'
import { systemClock } from '../core/clock.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../core/diagnostic.ts'
import { isObject } from '../core/json.ts'
import type { Effects } from '../parts/effects.ts'
import { type CheckedEntries, checkEntries, type EntryChecks } from './check-entries.ts'
import { type Catalogue, checkRoute } from './compile.ts'
import { checkReached } from './dispatch-rules.ts'
import { checkTime } from './job-time.ts'
import { compileJob, JobBook, type JobParts, jobParts } from './jobs.ts'
import { challengeKeysOf, checkChallengeKeys } from './route-schemes.ts'

/** What a check found, and what it read. */
export type Checked = {
  readonly diagnostics: readonly Diagnostic[]
  /** Every route with its file, also routes that cannot be compiled. */
  readonly routes: readonly { readonly name: string; readonly file: string }[]
  readonly files: number
  /** The texts of the files that were read, for code frames. */
  readonly texts: ReadonlyMap<string, string>
  /** The checked routes, for a review. */
  readonly sources: readonly CheckedRoute[]
  readonly jobs: readonly JobSource[]
}

/** A route with its Diagnostics. `salvaged`: present where its shape or secret is wrong, and only this partial route was checked. */
export type CheckedRoute = { readonly route: RouteSource; readonly diagnostics: readonly Diagnostic[]; readonly salvaged?: PartialRoute }

/**
 * Checks a loaded configuration and the files of subscriptions and jobs beside it. No request runs, but plans are compiled with `effects`,
 * so these should store nothing and send nothing.
 */
export const checkAll = (loaded: Loaded, catalogue: Catalogue, effects: Effects): Checked => {
  const { config } = loaded
  const subscriptions = checkSubscriptions(join(config.dataDir, subscriptionsFileName), config, catalogue, effects)
  const parts = jobParts(config, catalogue)
  const jobs = [...config.profiles.values()].map((profile) => checkJobs(jobsFileOf(profile), profile, parts))
  return [subscriptions, ...jobs].reduce(merge, checkConfigured(loaded, catalogue, effects))
}

/**
 * Reports that there is no config.yaml. A missing file is an error where the user named the data directory (`asked`) and no subscriptions
 * file is in it.
 */
export const checkPresence = (dataDir: string, asked: boolean, configFile: string | undefined): Diagnostic[] => {
  const file = join(dataDir, 'config.yaml')
  if (configFile !== undefined || existsSync(file)) return []
  if (asked && !existsSync(join(dataDir, subscriptionsFileName))) {
    const more = existsSync(dataDir) ? '' : ', nor does its folder'
    const missing = diagnostic('WH003', `${file} does not exist${more}`, { help: 'check --data-dir and HEADGATE_HOME' })
    // The environment alone may configure a gateway.
    return [{ ...missing, stopsStart: false }]
  }
  return [diagnostic('WH004', `there is no ${file}`, { help: 'only the environment and the files beside it count' })]
}

type CheckByCompiling = (route: RouteSource) => readonly Diagnostic[]

/** Checks a route by compiling it as the server does. Where `salvaged` is given, `route` is the route of this partial route. */
const checkedRoute = (compile: CheckByCompiling, route: RouteSource, salvaged?: PartialRoute): CheckedRoute =>
  salvaged ? { route, diagnostics: withoutConsequences(salvaged, compile(route)), salvaged } : { route, diagnostics: compile(route) }

/** Checks the configuration with its routes and jobs. The files of jobs are only read because routes may name jobs in them. */
export const checkConfigured = (loaded: Loaded, catalogue: Catalogue, effects: Effects): Checked => {
  const { config, diagnostics, texts, salvaged } = loaded
  const book = quietBook(config, catalogue)
  // A route with a mistake in its shape can be dispatched to as well.
  const routes = new Map([...salvaged.map(({ route }) => [route.name, route] as const), ...config.routes])
  const compile: CheckByCompiling = (route) => checkRoute(route, { ...config, routes }, catalogue, { ...effects, jobs: book })
  const sources = [
    ...[...config.routes.values()].map((route) => checkedRoute(compile, route)),
    ...salvaged.map((each) => checkedRoute(compile, each.route, each)),
  ]
  const keys = challengeKeysOf(config.routes.values(), catalogue)
  const compiled = sources.flatMap(({ route, diagnostics }) => [...diagnostics, ...checkChallengeKeys(route, catalogue, keys)])
  const help = 'set platforms.webhook.enabled: true, or WEBHOOK_ENABLED=true'
  // A file that cannot be read does not say that the adapter is off, nor does one with an unknown key at the top or in `platforms`, which
  // most likely is the section of the adapter.
  const isDoubtful = diagnostics.some(({ code, pointer }) => code === 'WH101' && /^(?:\/platforms)?\/[^/]*$/.test(pointer))
  const off =
    config.enabled || isDoubtful || unreadIn({ diagnostics }).length > 0
      ? []
      : [diagnostic('WH109', 'the webhook adapter is not enabled: nothing is served', { help })]
  const named = new Map(sources.map(({ route: { name, base, place } }) => [name, place(base).file]))
  // A route that is wrong as a whole is not among the sources. The Diagnostics of the loading have its name and its file.
  for (const { route, place } of diagnostics) if (route !== undefined && place && !named.has(route)) named.set(route, place.file)
  return {
    diagnostics: [
      ...diagnostics,
      ...compiled,
      // A route that could not be read may be the one that dispatches.
      ...(diagnostics.some(({ severity }) => severity === 'error') ? [] : checkReached([...routes.values()])),
      ...checkTls(config, systemClock.now()),
      ...book.diagnostics,
      ...checkTimes(config, book),
      ...off,
    ],
    routes: [...named].map(([name, file]) => ({ name, file })),
    files: texts.size,
    texts,
    sources,
    jobs: [...config.profiles.values()].flatMap(({ jobs }) => [...jobs.values()]),
  }
}

/** Warns of configured jobs whose only time is past. */
const checkTimes = ({ profiles }: Config, book: JobBook): Diagnostic[] =>
  [...profiles.values()].flatMap(({ name, jobs }) =>
    [...jobs.values()].flatMap((source) => {
      const job = book.get(name, source.id)
      return job ? checkTime(job, source) : []
    }),
  )

/**
 * Returns the present jobs of a configuration and of its jobs files. Mistakes in the jobs files are not reported: only a check of the files
 * (`checkJobs`) reports them.
 */
export const quietBook = (config: Pick<Config, 'profiles' | 'tools' | 'agents'>, catalogue: Catalogue): JobBook => {
  const book = new JobBook({ config, parts: jobParts(config, catalogue), report: () => {} })
  book.refresh()
  return book
}

/** Checks a file of subscriptions, whose routes are served beside those of a configuration. */
export const checkSubscriptions = (file: string, config: Config, catalogue: Catalogue, effects: Effects): Checked => {
  const dry = { ...effects, jobs: quietBook(config, catalogue) }
  const compile: CheckByCompiling = (route) => checkRoute(route, config, catalogue, dry)
  const sources: CheckedRoute[] = []
  const keys = challengeKeysOf(config.routes.values(), catalogue)
  const check: EntryChecks['check'] = (name, entry, place) => {
    const { route, diagnostics } = readSubscription(name, entry, config, { place })
    const salvaged = route ? undefined : partialSubscriptionOf(name, entry, config, { place }, diagnostics)
    const served = route ?? salvaged?.route
    const checked = served && checkedRoute(compile, served, salvaged)
    if (checked) sources.push(checked)
    const keyed = route ? checkChallengeKeys(route, catalogue, keys) : []
    return [
      ...diagnostics,
      ...(checked?.diagnostics ?? []),
      ...keyed,
      ...(config.routes.has(name) ? [hiddenSubscription(name, place)] : []),
    ]
  }
  const checked = checkEntries(file, { noun: 'subscriptions', corrupt: 'WH803', check })
  return { ...asChecked(checked), routes: checked.entries.map((name) => ({ name, file })), sources }
}

const hiddenSubscription = (name: string, place: Source['place']): Diagnostic =>
  diagnostic('WH211', `subscription "${name}" is hidden by the route of this name in config.yaml`, {
    route: name,
    pointer: pointerOf([name]),
    place: place([name], 'key'),
    help: 'rename one of the two, or remove the subscription',
  })

export const checkJobs = (file: string, profile: Profile, parts: JobParts): Checked => {
  const jobs: JobSource[] = []
  const check: EntryChecks['check'] = (id, entry, place) => {
    if (profile.jobs.has(id)) return isObject(entry) && entry.schedule !== undefined ? [overruledJob(id, place)] : []
    if (isPauseNote(entry)) return []
    const { job: source, diagnostics } = readStoredJob(id, entry, profile, { place })
    if (!source) return diagnostics
    jobs.push(source)
    const compiled = compileJob(source, parts, profile)
    return [...diagnostics, ...compiled.diagnostics, ...(compiled.job ? checkTime(compiled.job, source) : [])]
  }
  return { ...asChecked(checkEntries(file, { noun: 'jobs', corrupt: 'WH806', check })), jobs }
}

const overruledJob = (id: string, place: Source['place']): Diagnostic =>
  diagnostic('WH210', `job "${id}" stands in config.yaml: only "paused" counts of its entry here`, {
    pointer: pointerOf([id]),
    place: place([id], 'key'),
    help: 'remove one of the two',
  })

const asChecked = ({ diagnostics, files, texts }: CheckedEntries): Checked => ({
  diagnostics,
  files,
  texts,
  routes: [],
  sources: [],
  jobs: [],
})

export const merge = (a: Checked, b: Checked): Checked => ({
  diagnostics: [...a.diagnostics, ...b.diagnostics],
  routes: [...a.routes, ...b.routes],
  files: a.files + b.files,
  texts: new Map([...a.texts, ...b.texts]),
  sources: [...a.sources, ...b.sources],
  jobs: [...a.jobs, ...b.jobs],
})
