/** Opens the polls of a gateway, once a route has `poll`. Until then nothing of them is loaded. */

import type { Status } from '../../generated/control.ts'
import { type ServedRoute, servedAs } from '../../plan/table.ts'
import type { LiveConfig } from '../../serve/live-config.ts'
import type { OpenStore } from '../../store/store-part.ts'
import type { Closing, GatewayOptions } from '../gateway-options.ts'
import { openLater } from './open-later.ts'

/** Returns the enabled routes of the configuration, and the subscriptions. */
export const servedNow = ({ table, base }: Pick<LiveConfig, 'table' | 'base'>): readonly ServedRoute[] => {
  base.subscriptions.refresh()
  return [...[...table.configured.values()].filter(({ plan }) => plan !== undefined), ...base.subscriptions.beside(table.configured)]
}

/** `open` is called at the start and after each reload. `stop` reads nothing more, and lets the messages in hand end. */
export type OpenedPolls = {
  readonly open: () => Promise<void>
  readonly stop: () => Promise<void>
  /** Returns the member `polls` of the status; no member where no route polls. */
  readonly view: () => Pick<Status, 'polls'>
}

/** Prepares the polls, and adds to `closing` how to close them. `isReady`: whether the gateway takes events now. */
export const openPolls = (options: GatewayOptions, store: OpenStore, isReady: () => boolean, closing: Closing): OpenedPolls => {
  const { clock, log, shared, reloader } = options
  const { facts, pauses } = shared
  const { current } = reloader
  const names = (): readonly string[] => servedNow(current()).flatMap(({ source }) => (source.spec.poll === undefined ? [] : [source.name]))
  const { begin, part } = openLater(
    closing,
    () => names().length > 0,
    async () => {
      const { Polls, takePulled } = await import('../../features/polls/index.ts')
      const polls = new Polls({
        clock,
        log,
        isReady,
        isPaused: (route) => pauses.refuses(route),
        take: takePulled({ clock, facts, maxBodyBytes: () => current().maxBodyBytes }),
        lead: async (task, leaseMs) => (await store.shared?.lead(task, leaseMs)) ?? true,
        served: (name) => servedAs(current().table, name),
        names,
      })
      return { part: polls, close: () => polls.close() }
    },
  )
  return {
    async open() {
      await begin()
      part()?.look()
    },
    stop: async () => part()?.close(),
    view: () => {
      const polls = part()?.states() ?? []
      return polls.length > 0 ? { polls } : {}
    },
  }
}
