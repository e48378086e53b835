/** Checks whether the targets that routes, jobs and alerts deliver to are connected. */

import { defaultProfile, type Profile } from '../../config/config.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { type Check, type CheckInput, fail, ok } from '../../datadir/check.ts'
import { readRoutes, targetNamesOf } from '../../datadir/routes.ts'
import { readJobs } from '../../operate/jobs/jobs.ts'
import { type KnownTarget, readTargets } from '../../operate/targets/targets.ts'
import { checkLogin, targetLabel } from '../machine/logins.ts'

/** Checks each target that a route, job or alert uses, and the login of the target's program, one target after the other. */
export const checkTargets = async (input: CheckInput): Promise<readonly Check[]> => {
  const checks: Check[] = []
  for (const [profile, used] of await usedTargets(input)) {
    const { targets } = await readTargets(input.workspace, profile)
    for (const name of used) checks.push(...(await checkTarget(name, profile, targets, input)))
  }
  return checks
}

/**
 * Returns the settings of routes, jobs and alert rules, each with its profile, also of those that do not compile. The secrets of entries in
 * a config.yaml are resolved. Left out are entries of a config.yaml whose shape or secret is wrong, and entries of a profile that is not
 * served. A subscription that is not valid counts as one of the default profile.
 */
export const usedSpecs = async ({ workspace, loaded }: CheckInput): Promise<readonly { profile: Profile; spec: JsonObject }[]> => {
  const routes = readRoutes(workspace).routes.map(({ written, route }) => ({ written, profile: route?.profile ?? defaultProfile }))
  const { jobs } = await readJobs(workspace, { all: true })
  const alerts = loaded.config.alerts.map(({ spec }) => ({ written: spec as unknown as Json, profile: defaultProfile }))
  return [...routes, ...jobs.map(({ written, profile }) => ({ written, profile: profile.name })), ...alerts].flatMap((user) => {
    const profile = loaded.config.profiles.get(user.profile)
    return profile && isObject(user.written) ? { profile, spec: user.written } : []
  })
}

/** Returns for each profile the names of the targets that its routes, jobs and alerts deliver to. */
const usedTargets = async (input: CheckInput): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const used = new Map<string, Set<string>>()
  for (const { profile, spec } of await usedSpecs(input)) {
    const names = used.get(profile.name) ?? new Set()
    used.set(profile.name, names)
    for (const name of targetNamesOf(spec).split(',')) names.add(name)
  }
  return used
}

const checkTarget = async (
  name: string,
  profile: string,
  targets: readonly KnownTarget[],
  input: CheckInput,
): Promise<readonly Check[]> => {
  const label = targetLabel(name, profile)
  const target = targets.find((each) => each.name === name)
  const { self } = input.workspace
  if (!target) return [fail(label, 'there is no such target', `${self} targets list`)]
  const { state, missing, ways } = target
  if (state === 'off') return [fail(label, 'its settings switch it off', `set platforms.${name}.enabled: true, or deliver elsewhere`)]
  if (state === 'missing') return [fail(label, `not connected: ${missing.join(', ')}`, ways.join('; or ') || 'see docs/targets.md')]
  const found = input.loaded.config.profiles.get(profile)
  return [ok(label, state), ...(found ? await checkLogin(name, found) : [])]
}
