/** Reads the configuration that the answers so far would give, for trials before anything is written. */

import { dump } from 'js-yaml'
import { type Loaded, loadConfig } from '../config/load.ts'
import { dataWith, writesOf } from './plan.ts'
import type { SetupDraft } from './question.ts'

export const draftedConfig = (draft: SetupDraft): Loaded => {
  const { present } = draft
  const { dataDir, env } = present.workspace
  const writes = writesOf(draft)
  const values = Object.fromEntries(writes.flatMap((each) => (each.to === 'env' ? [[each.name, each.value]] : [])))
  const settings = writes.flatMap((each) => (each.to === 'config' ? [each] : []))
  // The environment wins over `.env`, as it does at the start of the gateway.
  return loadConfig({ dataDir, env: { ...values, ...env }, texts: new Map([[present.files.config, dump(dataWith(present, settings))]]) })
}
