/** Removes a job that was made at run time, for `cron remove`: the job is found first, so that the user can be asked. */

import { jobsFileOf } from '../../config/jobs.ts'
import { shownPlace } from '../../core/diagnostic.ts'
import { exit, Fault } from '../../core/fault.ts'
import { equalJson, own } from '../../core/json.ts'
import { changeEntries } from '../../datadir/entries/change-entries.ts'
import { readRoutes } from '../../datadir/routes.ts'
import type { Warning } from '../../datadir/warning.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { findJob, type JobEntries, type JobEntry, type JobFilter, readJobs } from './jobs.ts'

/**
 * A job that may be removed. `known`: the job as it was found. `file`: the jobs file that stores it. `routes`: the names of the routes that
 * start it. `notices`: why some jobs may be missing.
 */
export type RemovableJob = {
  readonly known: JobEntry
  readonly file: string
  readonly routes: readonly string[]
  readonly notices: readonly string[]
}

/** Finds the job to remove. Throws a Fault where the reference names no job or several, and for a job of `config.yaml`. */
export const findRemovable = async (workspace: Workspace, reference: string, filter: JobFilter): Promise<RemovableJob> => {
  const jobs = await readJobs(workspace, filter)
  const known = findJob(jobs, reference, workspace)
  if (known.origin === 'config') throw configuredJobFault(known)
  return { known, file: jobsFileOf(known.profile), routes: routesOf(known, jobs, workspace), notices: jobs.notices }
}

/**
 * Removes the job. Returns a warning for each route that starts it. Throws a Fault when the job was changed or removed after
 * `findRemovable` read it.
 */
export const removeJob = async ({ known, file, routes }: RemovableJob, workspace: Workspace): Promise<readonly Warning[]> => {
  const { id, written } = known
  await changeEntries(workspace, file, (entries) => {
    const current = own(entries, id)
    if (current === undefined || !equalJson(current, written)) {
      const hint = `look at it: ${workspace.self} cron show ${id}`
      throw new Fault('conflict', `"${id}" was changed meanwhile: not removed`, { exitCode: exit.conflict, hint })
    }
    const { [id]: _, ...rest } = entries
    return { entries: rest, result: undefined }
  })
  return routes.map((route) => ({ code: 'WH217', message: `route "${route}" starts this job: from now on its events are dropped` }))
}

const configuredJobFault = ({ id, source }: JobEntry): Fault =>
  new Fault('configured', `"${id}" is a job of config.yaml: it cannot be removed from here`, {
    exitCode: exit.no,
    ...(source ? { hint: `remove it at ${shownPlace(source.place(source.base, 'key'))}` } : {}),
  })

/** Returns the names of the routes that start the job by its id, or by a name that no other job has. */
const routesOf = ({ id, name, profile }: JobEntry, { jobs }: JobEntries, workspace: Workspace): string[] => {
  const names = jobs.filter((job) => job.name === name || job.id === name).length === 1 ? [id, name] : [id]
  return readRoutes(workspace)
    .routes.filter(({ route }) => route?.profile === profile.name && names.includes(route.spec.cron_job ?? ''))
    .map(({ name: route }) => route)
}
