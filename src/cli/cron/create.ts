/** `cron create <name>`: a job that the gateway runs from its next look at the file; refused where the gateway would not run it. */

import { randomBytes } from 'node:crypto'
import { type KnownJob, type KnownJobs, readKnownJobs } from '../../app/jobs.ts'
import { profileNamed } from '../../app/profile-named.ts'
import { refusal } from '../../app/refusal.ts'
import { now } from '../../app/subscription-record.ts'
import { type Warning, warningOf } from '../../app/warning.ts'
import type { Profile } from '../../config/config.ts'
import { type Update, updateEntries } from '../../config/entry-store.ts'
import { jobsFileOf, readStoredJob } from '../../config/jobs.ts'
import { unreadIn } from '../../config/load.ts'
import { type Diagnostic, diagnostic } from '../../core/diagnostic.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { type JsonObject, own } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { zonedIso } from '../../expr/schedule.ts'
import { pastTime } from '../../plan/job-time.ts'
import { compileJob, type ScheduledJob } from '../../plan/jobs.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { readText } from '../shell/input.ts'
import type { Io } from '../shell/io.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { refuse } from '../shell/refuse.ts'
import { readExtra } from '../webhook/subscribe-options.ts'

/** There is none for toolsets: those are set by hand only. */
export type CronCreateOptions = ProfileOption & {
  readonly id?: string
  readonly schedule: string
  readonly timezone?: string
  readonly prompt?: string
  readonly model?: string
  readonly deliver?: string
  readonly deliverChatId?: string
  readonly deliverExtra?: readonly string[]
  readonly description?: string
  readonly disabled?: boolean
}

type Tried = { readonly diagnostics: readonly Diagnostic[]; readonly job?: ScheduledJob }

export const cronCreate = async (name: string, options: CronCreateOptions, cli: Cli): Promise<number> => {
  const { loaded, targets, jobs, notices } = await readKnownJobs(cli.workspace, options)
  note(cli, ...notices)
  const profile = profileNamed(options.profile, loaded, cli.workspace.self)
  const unread = unreadIn(loaded)
  if (unread.length > 0) return refuse(cli, refusal('nothing was saved', unread, { texts: loaded.texts }))
  const id = options.id ?? newId(jobs)
  const entry = await readEntry(name, options, cli.io)
  const { job, diagnostics } = await updateEntries(jobsFileOf(profile), updateOf(id, entry, profile, targets))
  if (!job) return refuse(cli, refusal('nothing was saved: this job would not run', diagnostics))
  if (!loaded.config.enabled) note(cli, `the adapter is not enabled yet: ${cli.workspace.self} gateway setup --yes`)
  return report(job, [...diagnostics.map(warningOf), ...twinWarning(job, jobs)], cli)
}

const newId = (jobs: readonly KnownJob[]): string => {
  const id = `job-${randomBytes(4).toString('hex')}`
  return jobs.some((job) => job.id === id) ? newId(jobs) : id
}

/** What is stored: only what was given. */
const readEntry = async (name: string, options: CronCreateOptions, io: Pick<Io, 'stdin'>): Promise<JsonObject> => {
  if (name.trim() === '') throw usage('the name is empty')
  const given: { readonly [key: string]: JsonObject[string] | undefined } = {
    name: name.trim(),
    description: options.description,
    schedule: options.schedule,
    timezone: options.timezone,
    prompt: options.prompt === undefined ? undefined : await readText('--prompt', options.prompt, io),
    model: options.model,
    deliver: options.deliver,
    deliver_extra: readExtra(options),
    enabled: options.disabled ? false : undefined,
    created_at: now(),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as JsonObject
}

/** Checked as the gateway would, and kept only when it holds. */
const updateOf =
  (id: string, entry: JsonObject, profile: Profile, targets: KnownJobs['targets']): Update<Tried> =>
  (entries) => {
    if (own(entries, id) !== undefined || profile.jobs.has(id)) {
      const where = profile.jobs.has(id) ? 'in config.yaml' : 'already'
      throw new Fault('conflict', `a job "${id}" is there ${where}: nothing was saved`, {
        exitCode: exit.conflict,
        hint: 'take another --id',
      })
    }
    const { job: source, diagnostics: shape } = readStoredJob(id, entry, profile, { place: nowhere })
    const compiled = source ? compileJob(source, targets) : { diagnostics: [] }
    const past = compiled.job ? tooLate(compiled.job, Date.now()) : []
    // The record is not in a file yet: a place would point nowhere.
    const diagnostics = [...shape, ...compiled.diagnostics, ...past].map(({ place: _, ...rest }) => rest)
    const { job } = compiled
    if (!job || diagnostics.some(({ severity }) => severity === 'error')) return { result: { diagnostics } }
    return { entries: { ...entries, [id]: entry }, result: { diagnostics, job } }
  }

const nowhere = () => ({ file: '', line: 1, column: 1, endLine: 1, endColumn: 1 })

/** Whatever its grace: a new job never runs for the past. */
const tooLate = (job: ScheduledJob, now: number): Diagnostic[] => {
  const past = pastTime(job, now)
  const help = `it is ${zonedIso(now, job.spec.timezone)} now: give --schedule a time to come, or one that comes again like '0 6 * * *'`
  return past ? [diagnostic('WH223', `the time ${past.at} is past: the job would never run`, { help })] : []
}

const twinWarning = ({ id, name }: ScheduledJob, jobs: readonly KnownJob[]): Warning[] => {
  const twins = jobs.filter((job) => job.name === name || job.id === name)
  if (twins.length === 0) return []
  return [{ code: 'WH218', message: `${twins.map((twin) => twin.id).join(', ')} has this name too: refer to this job by its id, ${id}` }]
}

const report = (job: ScheduledJob, warnings: readonly Warning[], cli: Cli): number => {
  const { id, name, profile, state, spec, schedule } = job
  const next = schedule.next(Date.now())
  const nextRun = state === 'active' && next !== undefined ? zonedIso(next, spec.timezone) : null
  const more = [
    `next     ${nextRun ?? `not before it is enabled (${state})`}`,
    `try      ${cli.workspace.self} cron run ${id}${flagOf(profile)}`,
  ]
  const lines = [`created  ${id}`, `name     ${printable(name, 200)}`, ...(cli.quiet ? [] : more)]
  const data = { id, name, profile, state, schedule: spec.schedule, timezone: spec.timezone ?? 'UTC', next_run: nextRun }
  return answer(cli, { kind: 'cron.create', data, text: `${lines.join('\n')}\n`, warnings })
}

const flagOf = (profile: string): string => (profile === 'default' ? '' : ` --profile ${profile}`)
