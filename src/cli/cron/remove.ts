/** `cron remove <job>`: deletes a job that was made at run time; asks first where somebody can answer. */

import { findJob, type KnownJob, type KnownJobs, readKnownJobs } from '../../app/jobs.ts'
import { readRoutes } from '../../app/routes.ts'
import { updateEntries } from '../../config/entry-store.ts'
import { jobsFileOf } from '../../config/jobs.ts'
import { exit, Fault } from '../../core/fault.ts'
import { equalJson, own } from '../../core/json.ts'
import { shownPlace } from '../../core/shown-place.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { quoted } from '../webhook/curl.ts'

export type CronRemoveOptions = ProfileOption & { readonly yes?: boolean }

export const cronRemove = async (reference: string, options: CronRemoveOptions, cli: Cli): Promise<number> => {
  const jobs = await readKnownJobs(cli.workspace, options)
  note(cli, ...jobs.notices)
  const known = findJob(jobs, reference, cli.workspace)
  const { id, origin, profile } = known
  if (origin === 'config') throw configured(known)
  const routes = routesOf(known, jobs, cli)
  const used = routes.length > 0 ? ` that ${routes.join(', ')} ${routes.length === 1 ? 'starts' : 'start'}` : ''
  if (!options.yes && cli.io.ask && !/^y(es)?$/i.test((await cli.io.ask(`remove job "${id}"${used}? [y/N] `)).trim())) {
    throw new Fault('cancelled', 'nothing was removed', { exitCode: exit.cancelled })
  }
  const file = jobsFileOf(profile)
  await updateEntries(file, (entries) => {
    const current = own(entries, id)
    // What was asked about is what is removed: an entry that somebody has changed since is not.
    if (current === undefined || !equalJson(current, known.written)) {
      const hint = `look at it: ${cli.workspace.self} cron show ${id}`
      throw new Fault('conflict', `"${id}" was changed meanwhile: not removed`, { exitCode: exit.conflict, hint })
    }
    const { [id]: _, ...rest } = entries
    return { entries: rest, result: undefined }
  })
  const undo = `cp ${quoted(`${file}.bak`)} ${quoted(file)}`
  const warnings = routes.map((route) => ({
    code: 'WH217',
    message: `route "${route}" starts this job: from now on its events are dropped`,
  }))
  const text = `removed  ${id}\n${cli.quiet ? '' : `undo     ${undo}\n`}`
  return answer(cli, { kind: 'cron.remove', data: { id, profile: profile.name, routes, undo }, text, warnings })
}

const configured = ({ id, source }: KnownJob): Fault =>
  new Fault('configured', `"${id}" is a job of config.yaml: it cannot be removed from here`, {
    exitCode: exit.no,
    ...(source ? { hint: `remove it at ${shownPlace(source.place(source.base, 'key'))}` } : {}),
  })

/** The routes that would start it: by its id, or by a name that no other job has. */
const routesOf = ({ id, name, profile }: KnownJob, { jobs }: KnownJobs, cli: Cli): string[] => {
  const names = jobs.filter((job) => job.name === name || job.id === name).length === 1 ? [id, name] : [id]
  return readRoutes(cli.workspace)
    .routes.filter(({ route }) => route?.profile === profile.name && names.includes(route.spec.cron_job ?? ''))
    .map(({ name: route }) => route)
}
