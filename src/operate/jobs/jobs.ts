/** Reads all scheduled jobs, from the configuration and from the jobs files, for the commands that show or change them. */

import type { JobSource, Profile } from '../../config/config.ts'
import { isPauseNote, jobNames, jobsFileOf, readStoredJob } from '../../config/jobs.ts'
import { type Loaded, loadConfig, unreadIn } from '../../config/load.ts'
import { readEntries } from '../../config/writing/entry-store.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { exit, Fault } from '../../core/fault.ts'
import { isObject, type Json, own } from '../../core/json.ts'
import { nearest } from '../../core/text.ts'
import { profileNamed } from '../../datadir/profile-named.ts'
import { targetNamesOf } from '../../datadir/routes.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { zonedIso } from '../../expr/schedule.ts'
import type { RunningJob } from '../../generated/control.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { checkTime, pastTime } from '../../plan/job-time.ts'
import { compileJob, type JobParts, jobParts, type ScheduledJob } from '../../plan/jobs.ts'

/** A scheduled job, of the configuration or of a jobs file, with all that is known about it. */
export type JobEntry = {
  readonly id: string
  readonly name: string
  readonly profile: Profile
  readonly origin: JobSource['origin']
  /** The entry as it is written, but with the secrets of configured jobs resolved. */
  readonly written: Json
  /** Absent when the entry does not have the shape of a job. */
  readonly source?: JobSource
  /** Absent when the job does not compile, so that it would never run. */
  readonly job?: ScheduledJob
  readonly problems: readonly Diagnostic[]
  readonly state: 'active' | 'paused' | 'disabled' | 'invalid'
}

/** The configuration with its jobs, and the parts that jobs can name. */
export type JobEntries = {
  readonly loaded: Loaded
  readonly parts: JobParts
  readonly jobs: readonly JobEntry[]
  /** The reasons why `jobs` is not complete; empty where it is. */
  readonly notices: readonly string[]
}

/** Which jobs to read. `profile`: the jobs of this profile. `all`: the jobs of all profiles. Neither: the jobs of the default profile. */
export type JobFilter = { readonly profile?: string; readonly all?: boolean }

/**
 * Reads the configuration and the jobs files of the profiles that the filter names. Throws a Fault when a jobs file is not usable, and when
 * the profile is not served.
 */
export const readJobs = async (workspace: Workspace, filter: JobFilter = {}): Promise<JobEntries> => {
  const loaded = loadConfig(workspace)
  const notices =
    unreadIn(loaded).length > 0 ? [`the configuration cannot be read, its jobs are not known: ${workspace.self} validate`] : []
  const profiles = filter.all ? [...loaded.config.profiles.values()] : [profileNamed(filter.profile, loaded, workspace.self)]
  const parts = jobParts(loaded.config, (await catalogueOf(loaded.config)).catalogue)
  return { loaded, parts, notices, jobs: profiles.flatMap((profile) => jobsOf(profile, parts)) }
}

const jobsOf = (profile: Profile, parts: JobParts): JobEntry[] => {
  const entryOf = jobEntry(profile, parts)
  const file = jobsFileOf(profile)
  const entries = readEntries(file)
  const configured = [...profile.jobs.values()].map((source) => {
    // Where a configured job was paused by a command, the jobs file has a note under the id of the job.
    const pauseNote = own(entries, source.id)
    return entryOf(source, source.spec as unknown as Json, [], isObject(pauseNote) && pauseNote.paused === true)
  })
  const place = () => ({ file, line: 1, column: 1, endLine: 1, endColumn: 1 })
  const stored = Object.entries(entries).flatMap(([id, written]): JobEntry[] => {
    if (profile.jobs.has(id) || isPauseNote(written)) return []
    const { job: source, diagnostics } = readStoredJob(id, written, profile, { place })
    if (source) return [entryOf(source, written, diagnostics, false)]
    return [{ id, name: jobNames(id, written).at(-1) ?? id, profile, origin: 'stored', written, problems: diagnostics, state: 'invalid' }]
  })
  return [...configured, ...stored]
}

const jobEntry =
  (profile: Profile, parts: JobParts) =>
  (source: JobSource, written: Json, found: readonly Diagnostic[], paused: boolean): JobEntry => {
    const { job, diagnostics } = compileJob(source, parts, profile)
    const state = job === undefined ? 'invalid' : job.state === 'active' && paused ? 'paused' : job.state
    const { id, origin, spec } = source
    const problems = [...found, ...diagnostics, ...(job ? checkTime(job, source) : [])]
    return { id, name: spec.name ?? id, profile, origin, written, source, problems, state, ...(job ? { job } : {}) }
  }

/**
 * Returns the job whose id is the reference, or else the job whose name is the reference. Throws a Fault with the ids where several jobs
 * have the name. Where no job has this id or name, the Fault has similar names, and the reasons why jobs may be missing.
 */
export const findJob = ({ jobs, notices }: JobEntries, reference: string, { self }: Pick<Workspace, 'self'>): JobEntry => {
  const [found, ...others] = jobsNamed(jobs, reference)
  if (!found) throw unknownJob(reference, jobs, self, notices)
  if (others.length > 0) throw ambiguousJob(reference, [found, ...others])
  return found
}

/**
 * Returns the jobs that a reference names, as the running gateway finds them: the job with this id, else of each profile the
 * configured jobs with this name, else all its jobs with this name.
 */
const jobsNamed = (jobs: readonly JobEntry[], reference: string): readonly JobEntry[] => {
  const exact = jobs.find(({ id }) => id === reference)
  if (exact) return [exact]
  const named = jobs.filter(({ name }) => name === reference)
  const configured = new Set(named.flatMap(({ origin, profile }) => (origin === 'config' ? [profile.name] : [])))
  return named.filter(({ origin, profile }) => origin === 'config' || !configured.has(profile.name))
}

/** Makes the Fault for a reference to no job. `jobs`: their similar names and ids are suggested. `notices`: why jobs may be missing. */
export const unknownJob = (
  reference: string,
  jobs: readonly Pick<JobEntry, 'id' | 'name'>[],
  self: string,
  notices: readonly string[] = [],
): Fault =>
  new Fault('not_found', `no job "${reference}"`, {
    exitCode: exit.notFound,
    suggest: nearJobs(reference, jobs),
    hint: [...notices, `${self} cron list`].join('\n'),
  })

/** Makes the Fault for a name that several jobs have. */
export const ambiguousJob = (reference: string, jobs: readonly { readonly id: string }[]): Fault =>
  new Fault('ambiguous', `${jobs.length} jobs are named "${reference}": ${jobs.map(({ id }) => id).join(', ')}`, {
    exitCode: exit.conflict,
    hint: 'name one by its id',
  })

/** Returns the ids and names with a spelling similar to that of a reference, which may be mistyped. */
export const nearJobs = (reference: string, jobs: readonly Pick<JobEntry, 'id' | 'name'>[]): string[] =>
  nearest(reference, new Set(jobs.flatMap(({ id, name }) => [id, name])))

/** A job as JSON for programs. */
export type JobJson = ReturnType<typeof describeJob>

/**
 * Returns a job as `list` and `show` print it in JSON. `running`: the jobs that run now; `undefined` where that is not known. `now`: wall
 * time in milliseconds.
 */
export const describeJob = (
  { id, name, profile, origin, written, job, state }: JobEntry,
  running: readonly RunningJob[] | undefined,
  now: number,
) => {
  const spec = isObject(written) ? written : {}
  const timezone = job?.spec.timezone ?? own(spec, 'timezone') ?? 'UTC'
  const run = running?.find((each) => each.profile === profile.name && each.job === id)
  const next = state === 'active' ? job?.schedule.next(now) : undefined
  return {
    id,
    name,
    profile: profile.name,
    source: origin,
    state,
    schedule: own(spec, 'schedule') ?? null,
    timezone,
    next_run: next === undefined ? null : zonedIso(next, String(timezone)),
    past: job !== undefined && pastTime(job, now) !== undefined,
    running: running ? run !== undefined : null,
    running_since: run ? zonedIso(Date.parse(run.since), String(timezone)) : null,
    running_event: run?.event_id ?? null,
    deliver: targetNamesOf(spec),
    description: own(spec, 'description') ?? '',
    created_at: own(spec, 'created_at') ?? null,
    updated_at: own(spec, 'updated_at') ?? null,
  }
}
