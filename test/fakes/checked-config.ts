/** A configuration for a test of one part, checked as `config.yaml` is. */

import { configSchema } from '../../src/config/schema-walk.ts'
import { checkShape } from '../../src/config/shape.ts'
import type { Config } from '../../src/generated/config.ts'
import { checkConfig } from '../../src/generated/validators.js'

/** Returns a copy of the configuration. Throws where its shape is wrong. */
export const checkedConfig = (config: Config): Config => {
  const data = structuredClone(config)
  const place = () => ({ file: '', line: 1, column: 1, endLine: 1, endColumn: 1 })
  const [wrong] = checkShape(checkConfig, configSchema, data as never, { place })
  if (wrong) throw new Error(wrong.message)
  return data
}
