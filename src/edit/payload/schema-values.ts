/** Offers the paths that the payload schema of a route names, beside those of a payload. */

import type { Config, RouteSource } from '../../config/config.ts'
import { schemaPaths } from '../../expr/schema/schema-paths.ts'
import { openSchema } from '../../parts/stages/payload-schema.ts'
import type { PayloadValue } from '../service.ts'

/** Returns the paths that `values` lacks. Where the route has no schema that can be used, there are none. */
export const schemaValues = (
  source: RouteSource | undefined,
  { profiles }: Pick<Config, 'profiles'>,
  values: readonly PayloadValue[],
): readonly PayloadValue[] => {
  const profile = source && profiles.get(source.profile)
  if (!profile || source.spec.payload_schema === undefined) return []
  const schema = openSchema(profile.dir, source.spec.payload_schema)
  if ('message' in schema) return []
  const known = new Set(values.map(({ path }) => path))
  return schemaPaths(schema)
    .filter(({ path }) => !known.has(path))
    .map(({ path, kinds }) => ({ path, type: typeOf(kinds), shown: 'in the schema' }))
}

/** Returns one type for the kinds of a value, as `PayloadValue` has it. Where the schema does not say, most values are texts. */
const typeOf = (kinds: readonly string[]): string => {
  const kind = kinds.find((each) => each !== 'null') ?? 'string'
  return kind === 'integer' ? 'number' : kind
}
