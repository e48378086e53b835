/**
 * Opens the alerts of a gateway, once its configuration has some. Until then no module of the alerts is loaded, and they observe no fact.
 */

import type { AlertDesk } from '../app/alerts/alert-desk.ts'
import type { OpenStore } from '../store/store-part.ts'
import type { Closing, GatewayOptions } from './gateway-options.ts'

/** `begin` is called at the start and after each reload. */
export type OpenedAlerts = { readonly begin: () => Promise<void>; readonly desk: () => AlertDesk | undefined }

/** Prepares the alerts, and adds to `closing` how to close them. */
export const openAlerts = (options: GatewayOptions, store: OpenStore, closing: Closing): OpenedAlerts => {
  const { config, clock, log, redact, shared, reloader } = options
  let desk: AlertDesk | undefined
  let opening: Promise<void> | undefined
  let isClosed = false
  let close = async (): Promise<void> => {}
  closing.push(async () => {
    isClosed = true
    await opening
    await close()
  })
  const open = async (): Promise<void> => {
    const { Alerts, openFileMemory, openSharedMemory } = await import('../observe/alerts/index.ts')
    const memory = store.shared ? openSharedMemory(store.shared) : await openFileMemory(config.dataDir, log)
    if (isClosed) return
    const { current } = reloader
    const isShared = store.shared !== undefined
    const alerts = new Alerts({ clock, log, redact, memory, current, isShared, oldestMs: async () => (await store.totals()).oldestMs ?? 0 })
    shared.facts.observe(alerts)
    close = () => alerts.close()
    desk = alerts
  }
  return {
    desk: () => desk,
    async begin() {
      if (isClosed || reloader.current().alerts.length === 0) return
      opening ??= open()
      await opening
    },
  }
}
