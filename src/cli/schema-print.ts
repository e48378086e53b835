/** `schema print [config|subscriptions|sample]`: a JSON Schema, for editors and other tools. */

import { exit } from '../core/fault.ts'
import { sampleSchema, schema } from '../generated/schema.ts'
import type { Cli } from './shell/output.ts'

export type SchemaName = 'config' | 'subscriptions' | 'sample'

export const schemaPrint = async (which: SchemaName, cli: Cli): Promise<number> => {
  const { $schema, definitions } = schema
  const subscriptions = { $schema, $ref: '#/definitions/Subscriptions', definitions }
  const printed = { config: schema, subscriptions, sample: sampleSchema }[which]
  const document = cli.json ? { v: 1, kind: 'schema.print', ok: true, data: printed, warnings: [] } : printed
  cli.io.stdout(`${JSON.stringify(document, null, cli.json ? undefined : 2)}\n`)
  return exit.ok
}
