/** Deletes a job that was made at run time. */

import { updateEntries } from '../../config/entry-store.ts'
import { jobsFileOf } from '../../config/jobs.ts'
import { exit, Fault } from '../../core/fault.ts'
import { equalJson, own } from '../../core/json.ts'
import { shownPlace } from '../../core/shown-place.ts'
import { readRoutes } from '../routes/routes.ts'
import type { Warning } from '../warning.ts'
import type { Workspace } from '../workspace.ts'
import { findJob, type KnownJob, type KnownJobs } from './jobs.ts'

/** A job as it was found, with the names of the routes that start it. */
export type RemovableJob = { readonly known: KnownJob; readonly routes: readonly string[] }

/** Throws a Fault for a job that does not exist, or that the configuration declares. */
export const findRemovable = (jobs: KnownJobs, reference: string, workspace: Workspace): RemovableJob => {
  const known = findJob(jobs, reference, workspace)
  if (known.origin === 'config') throw configured(known)
  return { known, routes: routesOf(known, jobs, workspace) }
}

/** Removes the job. Throws a Fault when it was changed since it was found. */
export const removeJob = async ({ known, routes }: RemovableJob, { self }: Workspace): Promise<readonly Warning[]> => {
  const { id, profile, written } = known
  await updateEntries(jobsFileOf(profile), (entries) => {
    const current = own(entries, id)
    if (current === undefined || !equalJson(current, written)) {
      const hint = `look at it: ${self} cron show ${id}`
      throw new Fault('conflict', `"${id}" was changed meanwhile: not removed`, { exitCode: exit.conflict, hint })
    }
    const { [id]: _, ...rest } = entries
    return { entries: rest, result: undefined }
  })
  return routes.map((route) => ({ code: 'WH217', message: `route "${route}" starts this job: from now on its events are dropped` }))
}

const configured = ({ id, source }: KnownJob): Fault =>
  new Fault('configured', `"${id}" is a job of config.yaml: it cannot be removed from here`, {
    exitCode: exit.no,
    ...(source ? { hint: `remove it at ${shownPlace(source.place(source.base, 'key'))}` } : {}),
  })

/** The routes that start the job: by its id, or by a name that no other job has. */
const routesOf = ({ id, name, profile }: KnownJob, { jobs }: KnownJobs, workspace: Workspace): string[] => {
  const names = jobs.filter((job) => job.name === name || job.id === name).length === 1 ? [id, name] : [id]
  return readRoutes(workspace)
    .routes.filter(({ route }) => route?.profile === profile.name && names.includes(route.spec.cron_job ?? ''))
    .map(({ name: route }) => route)
}
