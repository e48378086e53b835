/** What the gateway opens of the alerts. */

export { Alerts } from './alerts.ts'
export { openFileMemory, openSharedMemory } from './memory.ts'
