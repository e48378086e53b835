/** `schema print [config|subscriptions]`: the bundled JSON Schema, for editors and other tools. */

import { exit } from '../core/fault.ts'
import { schema } from '../generated/schema.ts'
import type { Cli } from './shell/output.ts'

export const schemaPrint = async (which: 'config' | 'subscriptions', cli: Cli): Promise<number> => {
  const { $schema, definitions } = schema
  const printed = which === 'config' ? schema : { $schema, $ref: '#/definitions/Subscriptions', definitions }
  const document = cli.json ? { v: 1, kind: 'schema.print', ok: true, data: printed, warnings: [] } : printed
  cli.io.stdout(`${JSON.stringify(document, null, cli.json ? undefined : 2)}\n`)
  return exit.ok
}
