/**
 * Tries to reach the web addresses in the settings of the targets that routes, jobs and alerts use; with `--online` only. Each origin gets
 * a HEAD request for `/`, without a token, a path or a text of ours. Any answer shows that the host is there. Deliveries follow no
 * redirect, and neither does this check.
 */

import { systemClock } from '../../core/clock.ts'
import { isObject, type JsonObject, own } from '../../core/json.ts'
import { type Check, type CheckInput, fail, ok, warn } from '../../datadir/check.ts'
import type { Route } from '../../generated/config.ts'
import { callApi } from '../../parts/targets/delivery/api.ts'
import { settingsOf, textSetting } from '../../parts/targets/delivery/settings.ts'
import type { TargetPart } from '../../parts/targets/target.ts'
import { writtenTargets } from '../../parts/written-targets.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { targetLabel } from '../machine/logins.ts'
import { usedSpecs } from './targets.ts'

const maxCallMs = 5_000
/** The largest number of hosts that are asked. They are asked all at once, so that the check ends within the time of one call. */
const maxHosts = 50

const name = 'online'

/** Returns a summary of how many hosts were asked, and a check for each of these hosts. */
export const checkOnline = async (input: CheckInput): Promise<readonly Check[]> => {
  const hosts = await targetsByOrigin(input)
  if (hosts.size === 0) return [ok(name, 'no route, job or alert delivers to a web address that is written here: nothing was asked')]
  const asked = [...hosts].slice(0, maxHosts)
  const checks = await Promise.all(asked.map(([origin, users]) => askHost(origin, [...users].join(', '))))
  const summary = `${asked.length} of ${hosts.size} hosts were asked: HEAD /, at most ${maxCallMs / 1_000} s each, with no token and no text`
  return [
    asked.length < hosts.size ? warn(name, summary, 'try the others with: headgate targets test --route <name>') : ok(name, summary),
    ...checks,
  ]
}

const askHost = async (origin: string, users: string): Promise<Check> => {
  const answer = await callApi({ method: 'HEAD', url: `${origin}/` }, maxCallMs, systemClock.now)
  if (!answer.failure) return ok(users, `${origin} answered HTTP ${answer.status}`)
  return fail(users, `${origin}: ${answer.failure.message}`, 'check the address, its name in DNS, and whether this machine may reach it')
}

/**
 * Returns the origins (`https://example.com`) of the addresses in the settings of the used targets, each with the labels of its targets. An
 * address that only the code of a target has is not among them. Path and query are left out, because they may hold a token.
 */
const targetsByOrigin = async (input: CheckInput): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const { config } = input.loaded
  const { targets } = (await catalogueOf(config)).catalogue
  const hosts = new Map<string, Set<string>>()
  for (const { profile, spec } of await usedSpecs(input)) {
    for (const { target, extra } of targetsIn(spec)) {
      const part = targets.get(target)
      const settings = part && settingsOf(part, profile.platforms, profile.env)
      if (!settings || settings.enabled === false) continue
      for (const origin of originsOf(part, extra, settings))
        hosts.set(origin, (hosts.get(origin) ?? new Set()).add(targetLabel(target, profile.name)))
    }
  }
  return hosts
}

/** Returns the targets of a route, job or alert rule, which may be invalid: none where its `deliver` is no text and no list. */
const targetsIn = (spec: JsonObject): ReturnType<typeof writtenTargets> => {
  const { deliver, deliver_extra: extra } = spec
  const isReadable = deliver === undefined || typeof deliver === 'string' || Array.isArray(deliver)
  return isReadable ? writtenTargets({ ...(spec as Pick<Route, 'deliver'>), deliver_extra: isObject(extra) ? extra : {} }) : []
}

/** Returns the origins of the web addresses in a target's own settings, and in those keys of `deliver_extra` that hold its addresses. */
const originsOf = ({ addresses = [] }: TargetPart, extra: JsonObject, settings: JsonObject): readonly string[] => {
  const texts = [...Object.keys(settings).map((key) => textSetting(settings, key)), ...addresses.map((key) => own(extra, key))]
  return texts.flatMap((text) => (typeof text === 'string' && webAddress.test(text) && URL.canParse(text) ? new URL(text).origin : []))
}

/** Matches a web address without a placeholder in its host. */
const webAddress = /^https?:\/\/[^/?#\\{}\s]+(?:[/?#]|$)/i
