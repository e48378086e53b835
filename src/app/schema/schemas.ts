/** The JSON Schemas of the files, as editors get them. They come with the program. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { diskFault } from '../../core/disk-fault.ts'
import type { JsonObject } from '../../core/json.ts'

/** Each kind of file, and its definition in the bundle where it is not the bundle itself. */
const kinds = {
  config: undefined,
  subscriptions: 'Subscriptions',
  jobs: 'CronJobs',
  tests: 'RouteTests',
  sample: undefined,
} as const

export type SchemaName = keyof typeof kinds
export const schemaNames = Object.keys(kinds) as readonly SchemaName[]

/** What the bundle is called, here and in a data directory. */
export const schemaFile = 'headgate.schema.json'

/** Seen from the bundle in `dist/`, and from this source. */
const folder = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../../schema/' : '../schema/', import.meta.url))

/** Throws a Fault where the installation lacks it. */
const textOf = (file: string): string => {
  try {
    return readFileSync(join(folder, file), 'utf8')
  } catch (error) {
    throw diskFault('read', join(folder, file), error)
  }
}

/** The text of the bundle, the schema of `config.yaml`: the others refer to its definitions. */
export const bundleText = (): string => textOf(schemaFile)

export const sampleText = (): string => textOf('sample.schema.json')

/** A schema that stands on its own. */
export const schemaOf = (name: SchemaName): JsonObject => {
  if (name === 'sample') return JSON.parse(sampleText()) as JsonObject
  const bundle = JSON.parse(bundleText()) as JsonObject
  const { $schema, definitions } = bundle
  return kinds[name] === undefined ? bundle : ({ $schema, $ref: referenceTo(name), definitions } as JsonObject)
}

/** Where the bundle has the schema of a kind of file. */
export const referenceTo = (name: SchemaName): string => (kinds[name] === undefined ? '#' : `#/definitions/${kinds[name]}`)
