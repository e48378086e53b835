/** Makes the options with which the store of a configuration is opened or inspected. */

import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { StoreOptions } from '../store/store-part.ts'

export const storeOptions = ({ dataDir, storage: { durability, schema, url = '' } }: Config, clock: Clock): StoreOptions => ({
  folder: join(dataDir, 'state'),
  durability,
  clock,
  url: () => url,
  schema,
})
