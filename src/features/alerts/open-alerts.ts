/** Opens the alerts of a gateway, once its configuration has some. Until then they observe no fact. */

import type { FeatureKit, OpenedFeature } from '../feature.ts'
import { openLater } from '../open-later.ts'

export const openAlerts = (kit: FeatureKit) => {
  const { dataDir, store, clock, log, redact, facts, current, scope } = kit
  const { begin, part } = openLater(
    scope,
    () => current().config.alerts.length > 0,
    async (scope) => {
      const [{ Alerts }, { openFileMemory, openSharedMemory }] = await Promise.all([import('./alerts.ts'), import('./memory.ts')])
      const memory = store.shared ? openSharedMemory(store.shared) : await openFileMemory(dataDir, log)
      const isShared = store.shared !== undefined
      const alerts = new Alerts({
        clock,
        log,
        redact,
        memory,
        current,
        isShared,
        oldestMs: async () => (await store.totals()).oldestMs ?? 0,
      })
      facts.observe(alerts)
      scope.defer(() => alerts.close())
      return alerts
    },
  )
  return {
    begin,
    operations: {
      async alerts() {
        await part()?.idle()
        const view = part()?.view()
        return view ? { alerts: view } : {}
      },
      testAlerts: async ({ rule } = {}) => ({ sent: (await part()?.test(rule)) ?? [] }),
      muteAlerts: async ({ name, seconds }) => ({ found: (await part()?.mute(name, seconds * 1000)) ?? false }),
    },
    status() {
      const view = part()?.view()
      return view ? { alerts: [...new Set(view.firing.map(({ name }) => name))] } : {}
    },
  } satisfies OpenedFeature
}
