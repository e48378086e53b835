/** Stores a new job that the gateway would run. A running gateway finds the job when it next reads the jobs file. */

import { randomBytes } from 'node:crypto'
import type { Profile } from '../../config/config.ts'
import { jobsFileOf, readStoredJob } from '../../config/jobs.ts'
import { unreadIn } from '../../config/load.ts'
import type { EntriesUpdate } from '../../config/writing/entry-store.ts'
import { type Diagnostic, diagnostic } from '../../core/diagnostic.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { type JsonObject, own } from '../../core/json.ts'
import { changeEntries } from '../../datadir/entries/change-entries.ts'
import { profileNamed } from '../../datadir/profile-named.ts'
import { type Refusal, refusal } from '../../datadir/refusal.ts'
import { utcNow } from '../../datadir/subscription-record.ts'
import { type Warning, warningOf } from '../../datadir/warning.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { zonedIso } from '../../expr/schedule.ts'
import { pastTime } from '../../plan/job-time.ts'
import { compileJob, type ScheduledJob } from '../../plan/jobs.ts'
import { type JobEntries, type JobEntry, readJobs } from './jobs.ts'

/** The configuration, jobs and profile that a new job is checked against. */
export type JobContext = JobEntries & { readonly ok: true; readonly profile: Profile; readonly workspace: Workspace }

/**
 * Reads what a new job of a profile is checked against. Returns a Refusal where the configuration cannot be read. Throws a Fault when the
 * profile is not served, or when its jobs file is not usable.
 */
export const readJobContext = async (workspace: Workspace, profile: string | undefined): Promise<JobContext | Refusal> => {
  const known = await readJobs(workspace, profile === undefined ? {} : { profile })
  const { loaded, notices } = known
  const unread = unreadIn(loaded)
  if (unread.length > 0) return refusal('nothing was saved', unread, { texts: loaded.texts, notices })
  return { ok: true, ...known, profile: profileNamed(profile, loaded, workspace.self), workspace }
}

/**
 * The fields of the new job's entry. Fields that are `undefined` are not stored. The other settings of a job, such as `toolsets` and
 * `skills`, are written into the file by hand.
 */
export type NewJob = {
  readonly id?: string | undefined
  readonly name: string
  readonly description?: string | undefined
  readonly schedule: string
  readonly timezone?: string | undefined
  readonly prompt?: string | undefined
  readonly agent?: string | undefined
  readonly model?: string | undefined
  readonly deliver?: string | undefined
  readonly deliver_extra?: JsonObject | undefined
  readonly enabled?: false | undefined
}

export type CreatedJob = {
  readonly ok: true
  readonly job: ScheduledJob
  /** The time of the next run: ISO 8601, in the zone of the job. `null` for a job that is not active. */
  readonly nextRun: string | null
  readonly warnings: readonly Warning[]
  readonly notices: readonly string[]
}

/**
 * Checks and stores the job. Returns a Refusal with the mistakes of a job that would not run. Throws a Fault for an empty name, for an id
 * that is in use, and as `changeEntries` does.
 */
export const createJob = async (context: JobContext, { id: asked, ...fields }: NewJob): Promise<CreatedJob | Refusal> => {
  const { loaded, jobs, profile, workspace } = context
  if (fields.name.trim() === '') throw usage('the name is empty')
  const id = asked ?? newId(jobs)
  const { job, diagnostics } = await changeEntries(workspace, jobsFileOf(profile), updateOf(id, entryOf(fields), context))
  if (!job) return refusal('nothing was saved: this job would not run', diagnostics)
  const notices = loaded.config.enabled ? [] : [`the adapter is not enabled yet: ${workspace.self} gateway setup --yes`]
  const next = job.state === 'active' ? job.schedule.next(Date.now()) : undefined
  const nextRun = next === undefined ? null : zonedIso(next, job.spec.timezone)
  return { ok: true, job, nextRun, warnings: [...diagnostics.map(warningOf), ...twinWarning(job, jobs)], notices }
}

const newId = (jobs: readonly JobEntry[]): string => {
  const id = `job-${randomBytes(4).toString('hex')}`
  return jobs.some((job) => job.id === id) ? newId(jobs) : id
}

const entryOf = ({ name, ...fields }: Omit<NewJob, 'id'>): JsonObject => {
  const given = { name: name.trim(), ...fields, created_at: utcNow() }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as JsonObject
}

type CheckedJob = { readonly diagnostics: readonly Diagnostic[]; readonly job?: ScheduledJob }

/**
 * Returns the update that checks the new job as the gateway would, and adds its entry only when the job has no error. Throws a Fault for an
 * id that is in use.
 */
const updateOf =
  (id: string, entry: JsonObject, { profile, parts }: JobContext): EntriesUpdate<CheckedJob> =>
  (entries) => {
    if (own(entries, id) !== undefined || profile.jobs.has(id)) {
      const where = profile.jobs.has(id) ? 'in config.yaml' : 'already'
      throw new Fault('conflict', `a job "${id}" is there ${where}: nothing was saved`, {
        exitCode: exit.conflict,
        hint: 'take another --id',
      })
    }
    const { job: source, diagnostics: shape } = readStoredJob(id, entry, profile, { place: noPlace })
    const compiled = source ? compileJob(source, parts, profile) : { diagnostics: [] }
    const past = compiled.job ? tooLate(compiled.job, Date.now()) : []
    // The entry is not in a file yet, so the place of a diagnostic would point nowhere.
    const diagnostics = [...shape, ...compiled.diagnostics, ...past].map(({ place: _, ...rest }) => rest)
    const { job } = compiled
    if (!job || diagnostics.some(({ severity }) => severity === 'error')) return { result: { diagnostics } }
    return { entries: { ...entries, [id]: entry }, result: { diagnostics, job } }
  }

const noPlace = () => ({ file: '', line: 1, column: 1, endLine: 1, endColumn: 1 })

/**
 * Returns a mistake where the only time of the job is past. A stored job may still run a little after its time (its grace), but a new job
 * never runs for a past time.
 */
const tooLate = (job: ScheduledJob, now: number): Diagnostic[] => {
  const past = pastTime(job, now)
  const help = `it is ${zonedIso(now, job.spec.timezone)} now: give --schedule a time to come, or one that comes again like '0 6 * * *'`
  return past ? [diagnostic('WH223', `the time ${past.at} is past: the job would never run`, { help })] : []
}

/** Warns where other jobs have the name of the new job, so that the name does not refer to the new job alone. */
const twinWarning = ({ id, name }: ScheduledJob, jobs: readonly JobEntry[]): Warning[] => {
  const twins = jobs.filter((job) => job.name === name || job.id === name)
  if (twins.length === 0) return []
  return [{ code: 'WH218', message: `${twins.map((twin) => twin.id).join(', ')} has this name too: refer to this job by its id, ${id}` }]
}
