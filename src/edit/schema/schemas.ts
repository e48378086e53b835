/** The JSON Schemas that describe the files of a data directory to editors. The schemas are files of the installed program. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { diskFault } from '../../core/disk-fault.ts'
import type { JsonObject } from '../../core/json.ts'

/** The kinds of files, each with the name of its definition in the bundle; `undefined` where a whole schema file describes the kind. */
const schemaKinds = {
  config: undefined,
  routes: 'RoutesFile',
  subscriptions: 'Subscriptions',
  jobs: 'CronJobs',
  tests: 'RouteTests',
  sample: undefined,
} as const

export type SchemaName = keyof typeof schemaKinds
export const schemaNames = Object.keys(schemaKinds) as readonly SchemaName[]

/** The name of the bundle's file, in the program and in a data directory. */
export const schemaFile = 'headgate.schema.json'

/** The folder of schemas. The way to it differs between this source and the bundle in `dist/`. */
const schemaFolder = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../../schema/' : '../schema/', import.meta.url))

/** Reads a schema. Throws a Fault where the installation lacks it. */
const readSchema = (file: string): string => {
  try {
    return readFileSync(join(schemaFolder, file), 'utf8')
  } catch (error) {
    throw diskFault('read', join(schemaFolder, file), error)
  }
}

/**
 * Returns the text of the bundle. The bundle is the schema of `config.yaml`, and most other schemas are definitions in it. Throws a Fault
 * where the installation lacks its file.
 */
export const bundleText = (): string => readSchema(schemaFile)

/** Returns the text of the schema of samples, which is not in the bundle. Throws a Fault as `bundleText` does. */
export const sampleText = (): string => readSchema('sample.schema.json')

/** Returns the schema of a kind of file. The schema refers to no other file. Throws a Fault as `bundleText` does. */
export const schemaOf = (name: SchemaName): JsonObject => {
  if (name === 'sample') return JSON.parse(sampleText()) as JsonObject
  const bundle = JSON.parse(bundleText()) as JsonObject
  const { $schema, definitions } = bundle
  return schemaKinds[name] === undefined ? bundle : ({ $schema, $ref: referenceTo(name), definitions } as JsonObject)
}

/** Returns the reference into the bundle (`$ref`) for a kind of file. */
export const referenceTo = (name: SchemaName): string => (schemaKinds[name] === undefined ? '#' : `#/definitions/${schemaKinds[name]}`)
