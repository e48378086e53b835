/**
 * The gate `payload_schema` checks the payload of an event by the route's `payload_schema`. An event that does not fit is ignored, is
 * refused, or is reported and goes on, as `payload_mismatch` says (rules: Filters 13).
 */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { messageOf } from '../../core/fault.ts'
import type { Json } from '../../core/json.ts'
import type { Ignored, Refused } from '../../core/outcome.ts'
import { refuse } from '../../core/outcome.ts'
import type { Event } from '../../core/request.ts'
import { readInside } from '../../expr/inside-file.ts'
import type { Checker } from '../../expr/schema/checker.ts'
import { learnSchema } from '../../expr/schema/learn.ts'
import { maxSchemaBytes, type PayloadSchema, parseSchema, type SchemaProblem } from '../../expr/schema/payload-schema.ts'
import { samplePayload } from '../body/sample-payload.ts'
import { splits } from '../route-batch.ts'
import type { StageKit, StagePart } from './stage.ts'

export const payloadSchema: StagePart = {
  name: 'payload_schema',
  compile(route, kit) {
    const file = route.payload_schema
    if (file === undefined) return {}
    kit.recompileAtReload()
    const schema = openSchema(kit.profileDir, file)
    if ('message' in schema) {
      kit.report('WH416', ['payload_schema'], schemaSentence(file, schema), helpFor(file, kit.name), {
        file: resolve(kit.profileDir, file),
        pointer: schema.pointer,
      })
      return {}
    }
    if (namesSample(kit.profileDir, file) && splits(route, kit.schemes))
      kit.report(
        'WH416',
        ['payload_schema'],
        `the sample ${file} is a whole request, and the route checks each item of a request`,
        `name a file: headgate schema learn ${kit.name} makes one of recorded events`,
      )
    const action = route.payload_mismatch ?? 'ignore'
    // The library is loaded meanwhile, and the schema compiled for the first event: neither is to make a start or a reload longer.
    const loading = import('../../expr/schema/checker.ts')
    loading.catch(() => {})
    let check: Checker | undefined
    const judge = (event: Event, checker: Checker): Event | Ignored | Refused => {
      const mismatch = checker(event)
      return mismatch === undefined ? event : mismatched(event, action, mismatch, kit)
    }
    return {
      onEvent(event) {
        if (check) return judge(event, check)
        return loading.then(({ compileChecker }) => {
          check ??= compileChecker(schema)
          return judge(event, check)
        })
      },
    }
  },
}

/**
 * Reads the schema of a route, or says what is wrong with it. `named`: a file, relative to the folder of the profile and inside of it; or,
 * where there is no such file, a sample, whose kinds of values are the schema.
 */
export const openSchema = (profileDir: string, named: string): PayloadSchema | SchemaProblem => {
  try {
    if (namesSample(profileDir, named)) {
      const payload = samplePayload(profileDir, named)
      return payload === undefined ? { pointer: '', message: 'there is no such file, and no such sample' } : schemaOfSample(payload)
    }
    return parseSchema(
      readInside(resolve(profileDir, named), { root: profileDir, called: 'the profile directory', maxBytes: maxSchemaBytes }),
    )
  } catch (error) {
    return { pointer: '', message: `it cannot be read: ${messageOf(error)}` }
  }
}

const namesSample = (profileDir: string, named: string): boolean => sampleForm.test(named) && !existsSync(resolve(profileDir, named))

const schemaOfSample = (payload: Json): PayloadSchema | SchemaProblem => parseSchema(JSON.stringify(learnSchema([payload], 'kinds')))

/** The form of a sample's name, such as `github/push`. */
const sampleForm = /^[\w-]+\/[\w-]+(?:\.(?!json$)[\w-]+)*$/

const helpFor = (named: string, route: string): string =>
  sampleForm.test(named)
    ? 'name a file of the profile, or a sample: headgate samples list has the names'
    : `mend the file; headgate schema learn ${route} makes one`

const schemaSentence = (file: string, { pointer, message }: SchemaProblem): string =>
  `the payload schema ${file} cannot be used${pointer === '' ? '' : `, at ${pointer}`}: ${message}`

type Action = 'ignore' | 'refuse' | 'warn'

const mismatched = (event: Event, action: Action, mismatch: string, { name, effects }: StageKit): Event | Ignored | Refused => {
  const detail = `payload_schema: ${mismatch}`
  effects.mismatched?.(event, action, detail)
  if (action === 'warn') {
    effects.onlooker?.noted(`${detail}: the event goes on, for payload_mismatch is warn`)
    return event
  }
  if (action === 'refuse') return refuse('schema_mismatch', { detail })
  return { kind: 'ignored', reason: 'schema', route: name, detail: () => detail }
}
