/** Opens the catch-ups of a gateway, once a route has `catch_up`. Until then none of their modules is loaded, and they observe no fact. */

import type { CatchUpDesk } from '../app/catch-up/answers.ts'
import type { CatchUps } from '../app/catch-up/catch-up.ts'
import { type Served, servedAs } from '../plan/table.ts'
import type { OpenStore } from '../store/store-part.ts'
import type { Closing, GatewayOptions } from './gateway-options.ts'

/** Prepares the catch-ups, and adds to `closing` how to close them. `isReady`: whether the gateway takes events now. */
export const openCatchUp = (options: GatewayOptions, store: OpenStore, isReady: () => boolean, closing: Closing): CatchUpDesk => {
  const { clock, shared, reloader } = options
  const { current } = reloader
  const served = (): readonly Served[] => {
    const { table, base } = current()
    base.subscriptions.refresh()
    return [...[...table.configured.values()].filter(({ plan }) => plan !== undefined), ...base.subscriptions.beside(table.configured)]
  }
  let opened: CatchUps | undefined
  let opening: Promise<void> | undefined
  let isClosed = false
  let close = async (): Promise<void> => {}
  closing.push(async () => {
    isClosed = true
    await opening
    await close()
  })
  const open = async (): Promise<void> => {
    const { CatchUps, Occasions, takePulled } = await import('../app/catch-up/index.ts')
    if (isClosed) return
    const take = takePulled({ clock, facts: shared.facts })
    const catchUps = new CatchUps({
      store,
      clock,
      facts: shared.facts,
      keep: shared.keep,
      current: () => ({ config: current().config, served }),
      isReady,
      take,
    })
    const occasions = new Occasions({
      catchUps,
      clock,
      isReady,
      canCatchUp: (name) => servedAs(current().table, name)?.source.spec.catch_up !== undefined,
    })
    shared.facts.observe(occasions)
    close = async () => {
      occasions.close()
      await catchUps.close()
    }
    opened = catchUps
    occasions.start()
  }
  return {
    catchUps: () => opened,
    async open() {
      if (isClosed || !served().some(({ source }) => source.spec.catch_up !== undefined)) return
      opening ??= open()
      await opening
    },
  }
}
