/** The settings of the adapter (`platforms.webhook.extra`), by their keys in the file. */

import type { WebhookSettings } from '../generated/config.ts'
import type { defaults } from '../generated/defaults.ts'

/** What `Config` has apart: flags and variables of the environment win over some of it. */
type Apart = 'routes' | 'secret' | 'host' | 'port'

/** A key with a default in the schema is always there. */
export type AdapterSettings = Readonly<
  Omit<WebhookSettings, Apart> & Required<Pick<WebhookSettings, Exclude<keyof typeof defaults.webhook, Apart>>>
>
