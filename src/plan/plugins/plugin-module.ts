/** Finds and loads a plugin's module, once for a gateway: a file of the data directory, or a package that is installed there. */

import { existsSync, readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { systemClock } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import { isObject, type Json, own } from '../../core/json.ts'
import { parseJson } from '../../core/json-error.ts'
import { throwTimeout, within } from '../../core/turns/within.ts'

/** The longest loading of a module, which may wait at its top level. */
const importMs = 10_000

/** What `read` made of each loaded module, by the module's address. The map belongs to the gateway or command that loads the modules. */
export type LoadedModules<T> = Map<string, T>

/**
 * The number of failed loadings of each address. Node remembers a failed address until the process ends, so the count must last as long.
 */
const failures = new Map<string, number>()

/**
 * Loads a module, and resolves to the result of `read` on it. A module in `loaded` is not loaded again. Rejects with a sentence where the
 * module cannot be loaded or read; the next call then tries again.
 */
export const loadModule = async <T>(
  name: string,
  dataDir: string,
  loaded: LoadedModules<T>,
  read: (module: object) => Promise<T>,
): Promise<T> => {
  const url = pathToFileURL(moduleFile(name, dataDir)).href
  const loading = loaded.get(url)
  if (loading !== undefined) return loading
  const failed = failures.get(url) ?? 0
  // The address counts as failed until the module is loaded, so that a second call in this time does not wait for the first. After a
  // failure another address is used, because under the failed address Node would not read a mended file again.
  failures.set(url, failed + 1)
  const made = await read(
    await within(import(failed === 0 ? url : `${url}?try=${failed + 1}`), importMs, systemClock, throwTimeout('it did not load', importMs)),
  )
  failures.set(url, failed)
  loaded.set(url, made)
  return made
}

const isPath = /^(?:\.{0,2}[/\\]|[A-Za-z]:)/
const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/

const moduleFile = (name: string, dataDir: string): string => {
  if (isPath.test(name)) return existingFile(resolve(dataDir, name))
  if (isBuiltin(name)) throw new Error('it is a module of Node itself')
  if (!packageName.test(name)) throw new Error('it is neither a path that begins with ./ nor the name of a package')
  const require = createRequire(join(dataDir, 'config.yaml'))
  try {
    return require.resolve(name)
  } catch (error) {
    const file = (require.resolve.paths(name) ?? []).map((folder) => importedFile(join(folder, name))).find((found) => found !== undefined)
    if (file !== undefined) return existingFile(file)
    throw new Error(`it is not installed in the data directory (${messageOf(error).split('\n')[0]}); the path of a file begins with ./`)
  }
}

const existingFile = (file: string): string => {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`)
  return file
}

/**
 * Returns the file of a package that can only be imported; `undefined` where there is none. `require.resolve` does not find such a file.
 */
const importedFile = (folder: string): string | undefined => {
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) return undefined
  const data = parseJson(readFileSync(manifest, 'utf8'))
  const exported = isObject(data) ? own(data, 'exports') : undefined
  const entry = entryOf(isObject(exported) ? (own(exported, '.') ?? exported) : undefined)
  return entry === undefined ? undefined : resolve(folder, entry)
}

const entryOf = (exported: Json | undefined): string | undefined => {
  if (!isObject(exported)) return typeof exported === 'string' ? exported : undefined
  const [, found] = Object.entries(exported).find(([condition]) => ['import', 'node', 'default'].includes(condition)) ?? []
  return entryOf(found)
}
