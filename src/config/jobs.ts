/** Reads scheduled jobs, each with its place, from `config.yaml` and from the entries of a profile's `cron_jobs.json`. */

import { join } from 'node:path'
import { type Diagnostic, diagnostic, type Path, pointerOf } from '../core/diagnostic.ts'
import { isObject, type Json, own } from '../core/json.ts'
import type { Config as File, Job, StoredJob } from '../generated/config.ts'
import { checkJob } from '../generated/validators.js'
import type { JobSource, Profile } from './config.ts'
import { definition } from './schema-walk.ts'
import { isUnresolved, resolveSecrets } from './secrets/resolve-secrets.ts'
import { checkShape, isBroken } from './shape.ts'
import type { Source } from './yaml/source.ts'

export const jobsFileName = 'cron_jobs.json'
const jobId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const jobsFileOf = ({ dir }: Pick<Profile, 'dir'>): string => join(dir, jobsFileName)

/** Returns the words by which a route may name a job: its id, and its `name` where the entry has one. The entry need not be valid. */
export const jobNames = (id: string, entry: Json): readonly string[] => {
  const name = isObject(entry) ? own(entry, 'name') : undefined
  return typeof name === 'string' ? [id, name] : [id]
}

/**
 * Returns the jobs of a config.yaml, and in `brokenJobs` the ids and names of jobs with a mistake in their shape or a secret. `bad`: the
 * pointers of all such mistakes (`brokenPointers`).
 */
export const readConfiguredJobs = (
  { jobs }: File,
  profile: string,
  source: Source | undefined,
  bad: ReadonlySet<string>,
): Required<Pick<Profile, 'jobs' | 'brokenJobs'>> => {
  const found = new Map<string, JobSource>()
  const brokenJobs = new Set<string>()
  if (!source || !isObject(jobs)) return { jobs: found, brokenJobs }
  for (const [id, spec] of Object.entries(jobs)) {
    const base = ['jobs', id]
    if (!isObject(spec) || isBroken(base, bad)) for (const name of jobNames(id, spec as Json)) brokenJobs.add(name)
    else found.set(id, { id, profile, origin: 'config', spec: spec as Job, place: source.place, base })
  }
  return { jobs: found, brokenJobs }
}

/** Whether an entry is only the note that `cron pause` writes for a job of `config.yaml`. */
export const isPauseNote = (entry: Json): boolean =>
  isObject(entry) && own(entry, 'schedule') === undefined && own(entry, 'paused') === true

/** Reads one entry of a profile's `cron_jobs.json`. `job` is absent when the entry has mistakes, which the Diagnostics name. */
export const readStoredJob = (
  id: string,
  entry: Json,
  profile: Pick<Profile, 'name' | 'env' | 'secrets'>,
  source: Pick<Source, 'place'>,
): { readonly job?: JobSource; readonly diagnostics: readonly Diagnostic[] } => {
  const base: Path = [id]
  if (!jobId.test(id)) {
    const help = 'an id has letters, digits, dot, underscore or hyphen, at most 64, the first a letter or digit'
    return {
      diagnostics: [diagnostic('WH108', `"${id}" cannot be an id`, { pointer: pointerOf(base), place: source.place(base, 'key'), help })],
    }
  }
  const schema = definition('StoredJob')
  const shape = checkShape(checkJob, schema, entry, source, base)
  const withJobId = (each: Diagnostic): Diagnostic => ({ ...each, message: `job "${id}": ${each.message}` })
  if (shape.length > 0) return { diagnostics: shape.map(withJobId) }
  const { data, diagnostics } = resolveSecrets(schema, entry, profile, source, base)
  const all = diagnostics.map(withJobId)
  if (diagnostics.some(isUnresolved)) return { diagnostics: all }
  return {
    job: { id, profile: profile.name, origin: 'stored', spec: data as unknown as StoredJob, place: source.place, base },
    diagnostics: all,
  }
}
