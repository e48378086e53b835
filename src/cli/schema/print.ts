/** `schema print [config|routes|subscriptions|jobs|tests|sample]`: prints the JSON Schema of a kind of file, for editors and other tools. */

import { type SchemaName, schemaOf } from '../../edit/schema/schemas.ts'
import { answer, type Cli } from '../shell/output.ts'

export const schemaPrint = async (which: SchemaName, cli: Cli): Promise<number> => {
  const data = schemaOf(which)
  return answer(cli, { kind: 'schema.print', data, text: `${JSON.stringify(data, null, 2)}\n` })
}
