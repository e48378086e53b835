/** Opens the alerts of a gateway, once its configuration has some. Until then they observe no fact. */

import type { AlertControl } from '../../features/alerts/alert-control.ts'
import type { OpenStore } from '../../store/store-part.ts'
import type { Closing, GatewayOptions } from '../gateway-options.ts'
import { openLater } from './open-later.ts'

/** `begin` is called at the start and after each reload. */
export type OpenedAlerts = { readonly begin: () => Promise<void>; readonly control: () => AlertControl | undefined }

/** Prepares the alerts, and adds to `closing` how to close them. */
export const openAlerts = (options: GatewayOptions, store: OpenStore, closing: Closing): OpenedAlerts => {
  const { config, clock, log, redact, shared, reloader } = options
  const { current } = reloader
  const hasAlerts = (): boolean => current().alerts.length > 0
  const { begin, part } = openLater(closing, hasAlerts, async () => {
    const { Alerts, openFileMemory, openSharedMemory } = await import('../../observe/alerts/index.ts')
    const memory = store.shared ? openSharedMemory(store.shared) : await openFileMemory(config.dataDir, log)
    const isShared = store.shared !== undefined
    const alerts = new Alerts({ clock, log, redact, memory, current, isShared, oldestMs: async () => (await store.totals()).oldestMs ?? 0 })
    shared.facts.observe(alerts)
    return { part: alerts, close: () => alerts.close() }
  })
  return { begin, control: part }
}
