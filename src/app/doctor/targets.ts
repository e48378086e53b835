/** Checks whether the targets that routes and jobs deliver to are connected. */

import { defaultProfile, type Profile } from '../../config/config.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { readJobs } from '../jobs/jobs.ts'
import { readRoutes, targetNamesOf } from '../routes/routes.ts'
import { type KnownTarget, readTargets } from '../targets/targets.ts'
import { type Check, fail, ok, type Patient } from './check.ts'
import { checkLogin, targetLabel } from './logins.ts'

/** Checks each target that a route or job of a profile uses, and the login of the target's program, one target after the other. */
export const checkTargets = async (patient: Patient): Promise<readonly Check[]> => {
  const checks: Check[] = []
  for (const [profile, used] of await usedTargets(patient)) {
    const { targets } = await readTargets(patient.workspace, profile)
    for (const name of used) checks.push(...(await checkTarget(name, profile, targets, patient)))
  }
  return checks
}

/** Returns the entries of routes and jobs as they are written, each with its profile. An entry whose profile is not served is left out. */
export const usedSpecs = async ({ workspace, loaded }: Patient): Promise<readonly { profile: Profile; spec: JsonObject }[]> => {
  const routes = readRoutes(workspace).routes.map(({ written, route }) => ({ written, profile: route?.profile ?? defaultProfile }))
  const { jobs } = await readJobs(workspace, { all: true })
  return [...routes, ...jobs.map(({ written, profile }) => ({ written, profile: profile.name }))].flatMap((user) => {
    const profile = loaded.config.profiles.get(user.profile)
    return profile && isObject(user.written) ? { profile, spec: user.written } : []
  })
}

/** Returns the names of the used targets of each profile. */
const usedTargets = async (patient: Patient): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const used = new Map<string, Set<string>>()
  for (const { profile, spec } of await usedSpecs(patient)) {
    const names = used.get(profile.name) ?? new Set()
    used.set(profile.name, names)
    for (const name of targetNamesOf(spec).split(',')) names.add(name)
  }
  return used
}

const checkTarget = async (name: string, profile: string, targets: readonly KnownTarget[], patient: Patient): Promise<readonly Check[]> => {
  const label = targetLabel(name, profile)
  const target = targets.find((each) => each.name === name)
  const { self } = patient.workspace
  if (!target) return [fail(label, 'there is no such target', `${self} targets list`)]
  const { state, missing, ways } = target
  if (state === 'off') return [fail(label, 'its settings switch it off', `set platforms.${name}.enabled: true, or deliver elsewhere`)]
  if (state === 'missing') return [fail(label, `not connected: ${missing.join(', ')}`, ways.join('; or ') || 'see docs/targets.md')]
  const found = patient.loaded.config.profiles.get(profile)
  return [ok(label, state), ...(found ? await checkLogin(name, found) : [])]
}
