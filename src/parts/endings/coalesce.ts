/**
 * The ending of a route with `coalesce`: the store collects events with the same key in a group until no further event has come for
 * `window_seconds`, the first event is `max_wait_seconds` old, or the group has `max_events` events. Then the group becomes one agent run (rules: Coalescing 1). An event
 * without a key becomes a run of its own at once, and so does an event for whose group the store has no room.
 */

import type { Report } from '../../core/diagnostic.ts'
import { compileKey, keyName } from '../../expr/event-key.ts'
import type { Route } from '../../generated/config.ts'
import { defaults } from '../../generated/defaults.ts'
import type { Group, Lane } from '../../store/ports.ts'
import { claimOf, holdMsOf } from '../claim.ts'
import { templateKit } from '../template-kit.ts'
import type { EndingPart } from './ending.ts'
import { acceptAgent, agentRun, joinGroup, routeMembers } from './kit/accept.ts'
import { compileLane } from './kit/lane.ts'
import { compileMessage } from './kit/message.ts'
import { compileSession } from './kit/session.ts'

/** The settings in `coalesce` of a route. `singleFlight`: of the runs with one group key, only one runs at a time. */
type GroupSettings = Omit<Group, 'key' | 'lane'> & { readonly singleFlight: boolean }

export const coalesce: EndingPart = {
  name: 'coalesce',
  mode: 'coalesce',
  fits: (route) => route.deliver_only !== true && route.cron_job === undefined && route.coalesce !== undefined,
  compile(route, kit) {
    const settings = readSettings(route, kit.report)
    const keyOf = compileKey(route.coalesce?.key ?? '', templateKit(kit, ['coalesce', 'key']))
    const { render } = compileMessage(route, kit)
    const laneOf = compileLane(route, kit)
    const sessionOf = compileSession(route, kit)
    const [holdMs, members] = [holdMsOf(route), routeMembers(route)]
    return async (event) => {
      // Each event is rendered: by default the run of a group has the prompt, targets and session of the latest event
      // (rules: Coalescing 2).
      const run = agentRun(event, await render(event), await sessionOf?.(event), members)
      const [key, lane] = [await keyOf(event), await laneOf?.(event)]
      const claim = claimOf(event, holdMs)
      // An event without a key is not merged (rules: Coalescing 5).
      if (key === undefined) return acceptAgent(run, claim, kit.effects, lane)
      return joinGroup(run, claim, groupOf(keyName('group', event, key), settings, lane), kit.effects)
    }
  },
}

/** Reads `coalesce` of a route, with its seconds as milliseconds. Reports settings that contradict each other. */
const readSettings = (route: Route, report: Report): GroupSettings => {
  const {
    window_seconds: window,
    max_wait_seconds: maxWait,
    max_events: maxEvents,
    keep,
    single_flight: singleFlight,
  } = { ...defaults.coalesce, ...route.coalesce }
  if (maxWait < window)
    report(
      'WH212',
      ['coalesce', route.coalesce?.max_wait_seconds === undefined ? 'window_seconds' : 'max_wait_seconds'],
      `max_wait_seconds (${maxWait}) is shorter than window_seconds (${window}): every group runs ${maxWait} s after its first event`,
      'make max_wait_seconds the longer one',
    )
  if (singleFlight && route.concurrency)
    report(
      'WH208',
      ['concurrency'],
      '"single_flight" and "concurrency" cannot be used together',
      "single_flight is concurrency { limit: 1 } on the group's key: remove one of the two",
    )
  return {
    windowMs: Math.ceil(window * 1000),
    maxWaitMs: Math.ceil(maxWait * 1000),
    ...(maxEvents === undefined ? {} : { maxEvents }),
    keep,
    singleFlight,
  }
}

/**
 * Describes the group to the store. With `single_flight` the run of the group has a lane of its own: the key of the lane is the group's
 * key, and its limit is one run. Otherwise the run has the lane that `concurrency` of the route gives, if there is one.
 */
const groupOf = (key: string, { singleFlight, ...settings }: GroupSettings, routeLane: Lane | undefined): Group => {
  const lane: Lane | undefined = singleFlight ? { key, limit: 1, whenFull: 'wait' } : routeLane
  return { key, ...settings, ...(lane ? { lane } : {}) }
}
