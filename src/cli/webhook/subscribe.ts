/** `webhook subscribe <name>`: creates or updates a subscription that the server would serve, and says how to post to it. */

import { dryEffects } from '../../app/effects.ts'
import { nearJobs } from '../../app/jobs.ts'
import { routeUrl } from '../../app/route-address.ts'
import { shadowWarning, subscriptionsFile } from '../../app/routes.ts'
import { type Change, changeEntry, type Wish } from '../../app/subscription-record.ts'
import { type Warning, warningOf } from '../../app/warning.ts'
import { type Config, defaultProfile } from '../../config/config.ts'
import { readEntries, type Update, updateEntries } from '../../config/entry-store.ts'
import { loadConfig, unreadIn } from '../../config/load.ts'
import { readSubscription, subscriptionNameOf } from '../../config/subscriptions.ts'
import { type Diagnostic, diagnostic } from '../../core/diagnostic.ts'
import { exit, Fault } from '../../core/fault.ts'
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { quietBook } from '../../plan/check.ts'
import { type Catalogue, compileRoute } from '../../plan/compile.ts'
import type { JobBook } from '../../plan/jobs.ts'
import { answer, type Cli, disabledHelp, note, warn } from '../shell/output.ts'
import { refuse } from '../shell/refuse.ts'
import { signingCurl } from './curl.ts'
import { schemeOf } from './sign.ts'
import { readWish, type SubscribeOptions } from './subscribe-options.ts'

export const webhookSubscribe = async (asked: string, options: SubscribeOptions, cli: Cli): Promise<number> => {
  const name = subscriptionNameOf(asked)
  const { config, diagnostics, texts } = loadConfig(cli.workspace)
  // Without its file the configuration cannot say whether the adapter is enabled.
  const unread = unreadIn({ diagnostics })
  if (unread.length > 0) return refuse(cli, unread, texts, 'nothing was saved')
  if (!config.enabled) throw disabled()
  const { catalogue, diagnostics: plugins } = await catalogueOf(config)
  if ([...diagnostics, ...plugins].some(({ stopsStart }) => stopsStart))
    note(cli, `the configuration has other problems: ${cli.workspace.self} validate`)

  const wish = await readWish(options, cli.io)
  const file = subscriptionsFile(cli.workspace)
  const update = updateOf(name, wish, { config, catalogue }, options.dryRun === true, cli)
  const tried = options.dryRun ? update(readEntries(file)).result : await updateEntries(file, update)
  if (tried.refused) return refuse(cli, tried.diagnostics, new Map(), `nothing was saved: "${name}" would not be served like this`)

  const warnings = [
    ...tried.diagnostics.map(warningOf),
    ...(config.routes.has(name) ? [shadowWarning({ name })] : []),
    ...secretWarning(name, tried.change),
  ]
  return report({ name, config, options, warnings, ...tried }, cli)
}

const disabled = (): Fault => {
  const [message = '', ...ways] = disabledHelp.split('\n')
  return new Fault('adapter_disabled', message, { exitCode: exit.disabled, hint: ways.map((way) => way.trim()).join('\n') })
}

type Tried = {
  readonly change: Change
  /** The secret that counts, references resolved. */
  readonly secret: string
  readonly diagnostics: readonly Diagnostic[]
  readonly refused: boolean
}

type Served = { readonly config: Config; readonly catalogue: Catalogue }

/** The change as a function of what is stored: made, checked as the server would, and kept only when it holds. */
const updateOf =
  (name: string, wish: Wish, { config, catalogue }: Served, dry: boolean, cli: Cli): Update<Tried> =>
  (entries) => {
    const stored = own(entries, name)
    const jobs = quietBook(config, catalogue)
    const change = changeEntry(name, stored, withJobId(wish, stored, jobs))
    const { route, diagnostics: shape } = readSubscription(name, change.entry, config, { place: nowhere })
    const compiled = route ? compileRoute(route, config, catalogue, { ...dryEffects, jobs }).diagnostics : []
    // The record is not in a file yet: a place would point nowhere.
    const found = [...shape, ...compiled].map(({ place: _, ...rest }) => withNearJobs(rest, change.entry, jobs, cli))
    const diagnostics = [...found, ...refusedJob(change.entry, jobs, cli)]
    const refused = diagnostics.some(({ severity }) => severity === 'error')
    const result: Tried = { change, secret: route?.secrets[0] ?? '', diagnostics, refused }
    const same = change.changed.length === 0 && !change.created
    return refused || dry || same ? { result } : { entries: { ...entries, [name]: change.entry }, result }
  }

/** spec: Scheduled-job trigger 6 - the job that is meant is stored by its id: its name may go to another. */
const withJobId = (wish: Wish, stored: Json | undefined, jobs: JobBook): Wish => {
  const { cron_job: reference, profile } = wish.fields
  if (reference === undefined) return wish
  const bound = isObject(stored) && !wish.replace && typeof stored.profile === 'string' ? stored.profile : defaultProfile
  const [job, ...others] = jobs.find(profile ?? bound, reference)
  return job && others.length === 0 ? { ...wish, fields: { ...wish.fields, cron_job: job.id } } : wish
}

/** Of the job itself nothing else is said here. */
const refusedJob = ({ cron_job, profile = defaultProfile }: JsonObject, jobs: JobBook, { workspace: { self } }: Cli): Diagnostic[] => {
  if (typeof cron_job !== 'string' || !jobs.isRefused(String(profile), cron_job)) return []
  return [diagnostic('WH217', `the scheduled job "${cron_job}" has a mistake and does not run`, { help: `${self} cron show ${cron_job}` })]
}

const withNearJobs = (
  each: Diagnostic,
  { cron_job, profile = defaultProfile }: JsonObject,
  jobs: JobBook,
  { workspace: { self } }: Cli,
): Diagnostic => {
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

type Report = Tried & {
  readonly name: string
  readonly config: Config
  readonly options: SubscribeOptions
  readonly warnings: readonly Warning[]
}

const report = (done: Report, cli: Cli): number => {
  const { name, config, options, warnings, change, secret } = done
  const url = routeUrl(config, name, String(change.entry.profile ?? 'default'))
  if (options.print) {
    for (const warning of warnings) warn(cli, warning)
    cli.io.stdout(`${options.print === 'url' ? url : secret}\n`)
    return exit.ok
  }
  const shown = change.secret === 'generated' && !options.dryRun ? secret : undefined
  const verify = change.entry.verify as string | string[] | undefined
  const scheme = schemeOf('auto', verify, secret)
  const events = (change.entry.events ?? []) as string[]
  const curl = scheme === 'v2' || scheme === 'none' ? signingCurl(url, scheme === 'none' ? secret : shown, events) : undefined
  const data: JsonObject = {
    name,
    created: change.created,
    changed: [...change.changed],
    url,
    secret: shown ?? null,
    secret_generated: change.secret === 'generated',
    shadowed: config.routes.has(name),
    curl: curl ?? null,
    dry_run: options.dryRun === true,
  }
  return answer(cli, { kind: 'webhook.subscribe', data, warnings, text: textOf(done, { url, shown, scheme, curl }, cli) })
}

type Shown = { readonly url: string; readonly shown: string | undefined; readonly scheme: string; readonly curl: string | undefined }

const textOf = ({ name, options, change }: Report, { url, shown, scheme, curl }: Shown, cli: Cli): string => {
  const what = change.created ? 'created' : 'updated'
  if (!change.created && change.changed.length === 0) return `no change: ${name}\nurl      ${url}\n`
  if (options.dryRun) return `would be ${what}: ${name} (${change.changed.join(', ')})\nurl      ${url}\n`
  const secretLine = { generated: shown ?? '', supplied: '(as given)', kept: '(unchanged)' }[change.secret]
  const lines = [
    `${what}  ${name}${change.created ? '' : ` (${change.changed.join(', ')})`}`,
    `url      ${url}`,
    `secret   ${secretLine}`,
    `sign     ${signHint(scheme)}`,
    ...(curl === undefined ? [] : [`try      ${curl}`]),
    `next     ${cli.workspace.self} webhook test ${name}`,
  ]
  return `${(cli.quiet ? lines.slice(0, 3) : lines).join('\n')}\n`
}

const signHint = (scheme: string): string => {
  if (scheme === 'none') return 'nothing: requests are not verified'
  if (scheme !== 'v2') return `only ${scheme} counts`
  return 'X-Webhook-Signature-V2: hex HMAC-SHA256 of "<X-Webhook-Timestamp>.<body>"; GitHub, GitLab and Standard Webhooks headers work too'
}
