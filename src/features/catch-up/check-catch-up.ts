/**
 * Says which routes could have `catch_up`, because their sender has a log. With `online`, asks the logs of the routes that have it, so that
 * a token that lacks the permission is found before the log is needed.
 */

import type { RouteSource } from '../../config/config.ts'
import { systemClock } from '../../core/clock.ts'
import { Scope } from '../../core/scope.ts'
import { someOf } from '../../core/text.ts'
import { type Check, type CheckInput, fail, ok } from '../../datadir/check.ts'
import { hasSenderLog } from '../../parts/sender-logs/index.ts'
import { createKeep } from '../../parts/targets/delivery/keep.ts'
import { openLog, partOf } from './open-log.ts'

const name = 'catch-up'

/** Returns no check where no route of the configuration has a sender with a log. */
export const checkCatchUp = async ({ loaded: { config } }: CheckInput, online: boolean): Promise<readonly Check[]> => {
  const routes = [...config.routes.values()].filter(({ enabled }) => enabled)
  const without = routes.filter((route) => route.spec.catch_up === undefined && hasSenderLog(route)).map((route) => route.name)
  const able = without.length === 0 ? [] : [ok(name, `these routes could have catch_up (docs/catch-up.md): ${someOf(without)}`)]
  const asked: Check[] = []
  if (online) for (const route of routes) asked.push(...(await askLog(route, config)))
  return [...able, ...asked]
}

/** Reads the first page of the log; nothing where the route has no `catch_up`. */
const askLog = async (route: RouteSource, config: CheckInput['loaded']['config']): Promise<readonly Check[]> => {
  const { catch_up: settings } = route.spec
  if (!settings) return []
  const label = `${name} of ${route.name}`
  const scope = new Scope()
  const kit = { config, clock: systemClock, keep: createKeep(scope.adopt) }
  const page = await openLog(route, settings, kit).read(undefined, systemClock.now()).finally(scope.close)
  const { title, right } = partOf(settings)
  return [page.ok ? ok(label, `the log of ${title} can be read`) : fail(label, `the log of ${title}: ${page.why}`, page.help ?? right)]
}
