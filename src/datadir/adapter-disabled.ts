/** Makes the Fault of a command that needs the webhook adapter, where the adapter is not enabled. */

import { exit, Fault } from '../core/fault.ts'

const message = 'the webhook adapter is not enabled; enable it in one of three ways:'
const ways = [
  'headgate gateway setup --yes',
  'WEBHOOK_ENABLED=true in <data_dir>/.env or in the environment',
  'platforms.webhook.enabled: true in <data_dir>/config.yaml',
]

/** The hint of the Fault lists the three ways to enable the adapter, one a line. */
export const adapterDisabled = (): Fault => new Fault('adapter_disabled', message, { exitCode: exit.disabled, hint: ways.join('\n') })
