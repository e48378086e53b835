/** Opens the polls of a gateway, once a route has `poll`. Until then nothing of them is loaded. */

import { servedAs } from '../../plan/table.ts'
import type { FeatureKit, OpenedFeature } from '../feature.ts'
import { openLater } from '../open-later.ts'

export const openPolls = (kit: FeatureKit): OpenedFeature<never, 'polls'> => {
  const { store, clock, log, facts, current, takesEvents: isReady, isPaused, closing } = kit
  const names = (): readonly string[] =>
    current()
      .served()
      .flatMap(({ source }) => (source.spec.poll === undefined ? [] : [source.name]))
  const { begin, part } = openLater(
    closing,
    () => names().length > 0,
    async () => {
      const { Polls, takePulled } = await import('./index.ts')
      const polls = new Polls({
        clock,
        log,
        isReady,
        isPaused,
        take: takePulled({ clock, facts, maxBodyBytes: () => current().maxBodyBytes }),
        lead: async (task, leaseMs) => (await store.shared?.lead(task, leaseMs)) ?? true,
        served: (name) => servedAs(current().table, name),
        names,
      })
      return { part: polls, close: () => polls.close() }
    },
  )
  return {
    async begin() {
      await begin()
      part()?.look()
    },
    stop: async () => part()?.close(),
    operations: {},
    status() {
      const polls = part()?.states() ?? []
      return polls.length > 0 ? { polls } : {}
    },
  }
}
