/**
 * Lists the targets for an editor: whether each target is connected, which settings it lacks, where the user can write them, and what it
 * reads from `deliver_extra`.
 */

import { join } from 'node:path'
import { isObject, type JsonObject, own } from '../core/json.ts'
import type { Workspace } from '../datadir/workspace.ts'
import { type KnownTarget, readTargets } from '../operate/targets/targets.ts'
import { platformOf } from '../parts/targets/delivery/settings.ts'
import type { TargetPart } from '../parts/targets/target.ts'
import { schemaOf } from './schema/schemas.ts'
import type { TargetRow } from './service.ts'

/** Returns the rows of all targets, whether the profile has them connected or not. Throws a Fault when the profile is not served. */
export const targetRows = async (workspace: Workspace, profile?: string): Promise<readonly TargetRow[]> => {
  const { targets, dir } = await readTargets(workspace, profile)
  const { definitions } = schemaOf('config')
  const schemas = isObject(definitions) ? definitions : {}
  return targets.map((target): TargetRow => {
    const missing = missingOf(target, dir)
    return {
      name: target.name,
      title: target.part.title,
      ...(target.part.internal ? { isInternal: true } : {}),
      ...(missing === undefined ? {} : { missing }),
      ...(target.home === undefined ? {} : { home: target.home }),
      settings: settingsOf(target.part, schemas),
    }
  })
}

/**
 * Says which settings the target lacks to be connected, and in which file and under which name the user can write them. Of several ways to
 * connect it, the way that lacks the fewest is described first. `undefined` if the target is connected.
 */
const missingOf = ({ state, missing, ways, part }: KnownTarget, dir: string): string | undefined => {
  const platform = `platforms.${platformOf(part)}`
  if (state === 'off') return `switched off: set ${platform}.enabled: true in config.yaml`
  if (state !== 'missing') return undefined
  const wanted = missing.map((key) => {
    const setting = part.settings?.find((each) => each.key === key)
    if (!setting) return key
    const [variable] = setting.env
    return `${platform}.${key} in config.yaml${variable === undefined ? '' : `, or ${variable} in ${join(dir, '.env')}`}`
  })
  const others = ways.length > 1 ? ` (it is connected by ${ways.join('; or ')})` : ''
  return `not connected: it needs ${wanted.join('; and ')}${others}`
}

/**
 * Returns the schema of the target's settings in `deliver_extra`. For the target of a plugin, the schema has only the required keys.
 */
const settingsOf = ({ name, requires = [] }: TargetPart, definitions: JsonObject): JsonObject => {
  const pascal = name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
  const known = own(definitions, `${pascal}Extra`)
  if (isObject(known)) return known
  return {
    type: 'object',
    additionalProperties: true,
    required: [...requires],
    properties: Object.fromEntries(requires.map((key) => [key, { title: key, type: 'string' }])),
  }
}
