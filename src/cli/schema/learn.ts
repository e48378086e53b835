/** `schema learn <route>`: prints a payload schema that is made of recorded events, or of samples. */

import { learnPayloadSchema } from '../../edit/schema/learn-schema.ts'
import { answer, type Cli, note } from '../shell/output.ts'

export type LearnFlags = { readonly sample?: readonly string[]; readonly limit?: number; readonly closed?: boolean }

export const schemaLearn = async (route: string, { sample = [], limit = 200, closed = false }: LearnFlags, cli: Cli): Promise<number> => {
  const { schema, payloads } = await learnPayloadSchema(cli.workspace, route, { samples: sample, limit, isClosed: closed })
  note(cli, `learned from ${payloads} ${payloads === 1 ? 'payload' : 'payloads'}; look through it before a route refuses events by it`)
  return answer(cli, { kind: 'schema.learn', data: { payloads, schema }, text: `${JSON.stringify(schema, null, 2)}\n` })
}
