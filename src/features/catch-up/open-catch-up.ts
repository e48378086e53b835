/** Opens the catch-ups of a gateway, once a route has `catch_up`. Until then they observe no fact. */

import { minuteMs } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import { type Repeating, repeat } from '../../core/turns/repeat.ts'
import { servedAs } from '../../plan/table.ts'
import type { FeatureKit, OpenedFeature } from '../feature.ts'
import { openLater } from '../open-later.ts'

export const openCatchUp = (kit: FeatureKit) => {
  const { store, lead, clock, log, facts, keep, current, takesEvents: isReady, pauses, scope } = kit
  const isPaused = (route: string): boolean => pauses.refuses(route)
  const canCatchUp = (name: string): boolean => servedAs(current().table, name)?.source.spec.catch_up !== undefined
  const isNeeded = (): boolean =>
    current()
      .served()
      .some(({ source }) => source.spec.catch_up !== undefined)
  const { begin, part } = openLater(scope, isNeeded, async (scope) => {
    const [{ CatchUps }, { CatchUpTriggers }, { takePulled }] = await Promise.all([
      import('./catch-up.ts'),
      import('./triggers.ts'),
      import('../polls/take-pulled.ts'),
    ])
    const take = takePulled({ clock, facts, maxBodyBytes: () => current().maxBodyBytes })
    const catchUps = new CatchUps({ store, lead, clock, facts, keep, current, isReady, isPaused, take })
    const triggers = new CatchUpTriggers({ catchUps, clock, isReady, isPaused, canCatchUp })
    facts.observe(triggers)
    scope.defer(() => catchUps.close())
    triggers.start(scope)
    return catchUps
  })
  // A subscription that is made at run time may be the first route with `catch_up`, and no fact tells of it.
  const failed = (error: unknown): void => log('error', { reason: messageOf(error) }, 'catch-ups cannot be opened')
  const looking: Repeating = repeat(clock, minuteMs, () => (part() ? void looking.stop() : begin()), { failed, scope })
  return {
    begin,
    operations: {
      async catchUp({ route, since, dry_run: dryRun } = {}) {
        // A subscription may have come since the last reload.
        await begin()
        return { routes: part()?.begin({ route, since, dryRun }) ?? [] }
      },
      catchUps: async () => ({ routes: part()?.states() ?? [] }),
    },
    status() {
      // The status is of those that an operator should know of, without their events.
      const open = part()?.open() ?? []
      return open.length > 0 ? { catch_ups: open.map((each) => ({ ...each, events: [] })) } : {}
    },
  } satisfies OpenedFeature
}
