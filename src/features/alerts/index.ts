/** What the gateway opens of the alerts. It is loaded once the configuration has a rule of alerts. */

export { Alerts } from './alerts.ts'
export { openFileMemory, openSharedMemory } from './memory.ts'
