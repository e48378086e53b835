/** Opens the catch-ups of a gateway, once a route has `catch_up`. Until then they observe no fact. */

import { minuteMs } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import { type Repeating, repeat } from '../../core/turns/repeat.ts'
import { type ServedRoute, servedAs } from '../../plan/table.ts'
import type { OpenStore } from '../../store/store-part.ts'
import type { Closing, GatewayOptions } from '../gateway-options.ts'
import type { CatchUpControl } from '../operations/catch-up-answers.ts'
import { openLater } from './open-later.ts'
import { servedNow } from './open-polls.ts'

/** Prepares the catch-ups, and adds to `closing` how to close them. `isReady`: whether the gateway takes events now. */
export const openCatchUp = (options: GatewayOptions, store: OpenStore, isReady: () => boolean, closing: Closing): CatchUpControl => {
  const { clock, shared, reloader } = options
  const { facts, keep, pauses } = shared
  const { current } = reloader
  const served = (): readonly ServedRoute[] => servedNow(current())
  const isPaused = (route: string): boolean => pauses.refuses(route)
  const canCatchUp = (name: string): boolean => servedAs(current().table, name)?.source.spec.catch_up !== undefined
  const isNeeded = (): boolean => served().some(({ source }) => source.spec.catch_up !== undefined)
  const { begin, part } = openLater(closing, isNeeded, async () => {
    const { CatchUps, CatchUpTriggers } = await import('../../features/catch-up/index.ts')
    const { takePulled } = await import('../../features/polls/take-pulled.ts')
    const take = takePulled({ clock, facts, maxBodyBytes: () => current().maxBodyBytes })
    const serving = () => ({ config: current().config, served })
    const catchUps = new CatchUps({ store, clock, facts, keep, current: serving, isReady, isPaused, take })
    const occasions = new CatchUpTriggers({ catchUps, clock, isReady, isPaused, canCatchUp })
    facts.observe(occasions)
    occasions.start()
    const close = async (): Promise<void> => {
      await occasions.close()
      await catchUps.close()
    }
    return { part: catchUps, close }
  })
  // A subscription that is made at run time may be the first route with `catch_up`, and no fact tells of it.
  const failed = (error: unknown): void => options.log('error', { reason: messageOf(error) }, 'catch-ups cannot be opened')
  const looking: Repeating = repeat(clock, minuteMs, () => (part() ? void looking.stop() : begin()), { failed })
  closing.push(looking.stop)
  return { open: begin, catchUps: part }
}
