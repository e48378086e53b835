/** Pauses and resumes jobs. The pause of a configured job is stored as a note in the jobs file. */

import { jobsFileOf } from '../../config/jobs.ts'
import type { EntriesUpdate } from '../../config/writing/entry-store.ts'
import { shownPlace } from '../../core/diagnostic.ts'
import { exit, Fault } from '../../core/fault.ts'
import { isObject, type JsonObject, own } from '../../core/json.ts'
import { changeEntries } from '../../datadir/entries/change-entries.ts'
import { utcNow } from '../../datadir/subscription-record.ts'
import type { Warning } from '../../datadir/warning.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { findJob, type JobEntry, type JobFilter, readJobs } from './jobs.ts'

export type PausedJob = {
  readonly id: string
  readonly profile: string
  /** `false` where the job was already as asked: paused, or not paused. */
  readonly changed: boolean
  readonly warnings: readonly Warning[]
  readonly notices: readonly string[]
}

/**
 * Pauses a job, or resumes it (`paused` is `false`). Throws a Fault where the reference names no job or several, where a stored job was
 * removed meanwhile, and where a job that `config.yaml` pauses is to be resumed.
 */
export const pauseJob = async (workspace: Workspace, reference: string, paused: boolean, filter: JobFilter): Promise<PausedJob> => {
  const jobs = await readJobs(workspace, filter)
  const known = findJob(jobs, reference, workspace)
  const { id, profile, source, origin } = known
  const byConfig = origin === 'config' && source?.spec.paused === true
  if (byConfig && !paused) throw pausedByHand(known)
  const changed = !byConfig && (await changeEntries(workspace, jobsFileOf(profile), updateOf(known, paused)))
  const isOff = source?.spec.enabled === false
  const warnings =
    isOff && !paused ? [{ code: 'WH219', message: `"${id}" is disabled: it does not run before it is enabled in its file` }] : []
  return { id, profile: profile.name, changed, warnings, notices: jobs.notices }
}

const pausedByHand = ({ id, source }: JobEntry): Fault =>
  new Fault('paused_in_config', `"${id}" is paused in config.yaml: it cannot be resumed from here`, {
    exitCode: exit.no,
    ...(source ? { hint: `remove "paused: true" at ${shownPlace(source.place([...source.base, 'paused'], 'key'))}` } : {}),
  })

const updateOf =
  ({ id, origin }: JobEntry, paused: boolean): EntriesUpdate<boolean> =>
  (entries) => {
    const stored = own(entries, id)
    if (origin === 'stored' && !isObject(stored)) throw new Fault('conflict', `"${id}" is not there any more`, { exitCode: exit.conflict })
    const entry: JsonObject = isObject(stored) ? stored : {}
    if ((entry.paused === true) === paused) return { result: false }
    const { paused: _, ...unpaused } = entry
    const next = { ...unpaused, ...(paused ? { paused: true } : {}), updated_at: utcNow() }
    // Where the jobs file has only a note of a configured job, the note goes when the job is resumed.
    const isNoteDone = origin === 'config' && !paused && own(entry, 'schedule') === undefined
    const { [id]: __, ...others } = entries
    return { entries: isNoteDone ? others : { ...entries, [id]: next }, result: true }
  }
