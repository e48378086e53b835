/** The configuration as it would be with the answers so far: for trials, before anything is written. */

import { dump } from 'js-yaml'
import { type Loaded, loadConfig } from '../../config/load.ts'
import { dataWith, writesOf } from './plan.ts'
import type { Draft } from './question.ts'

export const draftedConfig = (draft: Draft): Loaded => {
  const { present } = draft
  const { dataDir, env } = present.workspace
  const writes = writesOf(draft)
  const values = Object.fromEntries(writes.flatMap((each) => (each.to === 'env' ? [[each.name, each.value]] : [])))
  const settings = writes.flatMap((each) => (each.to === 'config' ? [each] : []))
  // As at the start: what the environment says wins over .env.
  return loadConfig({ dataDir, env: { ...values, ...env }, configText: dump(dataWith(present, settings)) })
}
