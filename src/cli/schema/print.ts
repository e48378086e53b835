/** `schema print` and `schema learn`: print a JSON Schema, for editors, for other tools, and for `payload_schema`. */

import { learnPayloadSchema } from '../../edit/schema/learn-schema.ts'
import { type SchemaName, schemaOf } from '../../edit/schema/schemas.ts'
import { answer, type Cli, note } from '../shell/output.ts'

/** `schema print [config|routes|subscriptions|jobs|tests|sample]`: prints the JSON Schema of a kind of file, for editors and other tools. */
export const schemaPrint = async (which: SchemaName, cli: Cli): Promise<number> => {
  const data = schemaOf(which)
  return answer(cli, { kind: 'schema.print', data, text: `${JSON.stringify(data, null, 2)}\n` })
}

export type LearnFlags = { readonly sample?: readonly string[]; readonly limit?: number; readonly closed?: boolean }

/** `schema learn <route>`: prints a payload schema that is made of recorded events, or of samples. */
export const schemaLearn = async (route: string, { sample = [], limit = 200, closed = false }: LearnFlags, cli: Cli): Promise<number> => {
  const { schema, payloads } = await learnPayloadSchema(cli.workspace, route, { samples: sample, limit, isClosed: closed })
  note(cli, `learned from ${payloads} ${payloads === 1 ? 'payload' : 'payloads'}; look through it before a route refuses events by it`)
  return answer(cli, { kind: 'schema.learn', data: { payloads, schema }, text: `${JSON.stringify(schema, null, 2)}\n` })
}
