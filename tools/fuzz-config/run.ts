/**
 * Sets keys of the schema to values of every kind and validates in this process: nothing may crash, and what is refused has a place and a
 * way out.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { createRandom } from '../../bench/durability/random.ts'
import { validate } from '../../src/check/validate/validate.ts'
import type { Diagnostic, Path } from '../../src/core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own } from '../../src/core/json.ts'
import { type SchemaPlace, schemaPlaces } from './places.ts'

/** A case that `validate` handled wrongly. `value`: the name of the value that was tried. `wrong`: what went wrong, in a sentence. */
export type Slip = { readonly file: string; readonly path: string; readonly value: string; readonly wrong: string }
export type Ran = { readonly cases: number; readonly slips: readonly Slip[] }

const deep = (levels: number, end: Json): Json =>
  levels === 0 ? end : levels % 2 === 0 ? [deep(levels - 1, end)] : { a: deep(levels - 1, end) }

/** The values that are tried for each key: one or more of every kind, by name. */
const values: { readonly [name: string]: Json } = {
  text: 'x',
  'empty text': '',
  number: 7,
  'negative number': -1,
  fraction: 1.5,
  'large number': 1e300,
  true: true,
  false: false,
  null: null,
  'empty list': [],
  'list of a text': ['x'],
  'list of empty texts': ['', ''],
  'list of a number': [7],
  'list of a boolean': [true],
  'list of null': [null],
  'list of a list': [['x']],
  'list of a map': [{ a: 'x' }],
  'empty map': {},
  map: { a: 'x' },
  'map of null': { a: null },
  'map with a name of every object': { constructor: 'x', toString: 1 },
  'deep nesting': deep(40, 'x'),
  'long text': 'x'.repeat(200_000),
  'long list': Array<Json>(3_000).fill('x'),
  'odd text': '{= $a( {{ [ ( * \\ / % \u202e \u0007 \ud800',
}

const bases: { readonly [file: string]: JsonObject } = {
  'config.yaml': {
    platforms: { webhook: { enabled: true, extra: { secret: 'c2a91f70e35bd846', routes: { a: { prompt: '{action}' } } } } },
  },
}

/** Returns `at` with the value at a path. Maps and lists that are missing on the path are made, with the members that `beside` asks for. */
const withValue = (at: Json | undefined, [key, ...rest]: Path, value: Json, beside: readonly JsonObject[]): Json => {
  if (key === undefined) return value
  if (typeof key === 'number') return [withValue(undefined, rest, value, beside.slice(1))]
  const members = isObject(at) ? at : {}
  const below = withValue(own(members, key), rest, value, beside.slice(1))
  return { ...beside[0], ...members, [key]: below }
}

/** The codes of findings that need no place: they are about something that the whole file lacks, or about something outside the file. */
const placeless: ReadonlySet<string> = new Set(['WH109'])

const wrongWith = ({ code, message, place, help }: Diagnostic): readonly string[] => [
  ...(place === undefined && !placeless.has(code) ? [`${code} has no place: ${message.slice(0, 200)}`] : []),
  ...(help === undefined || help === '' ? [`${code} has no help: ${message.slice(0, 200)}`] : []),
]

type Case = { readonly place: SchemaPlace; readonly name: string; readonly isBare: boolean }

/** Tries `cases` of all cases, chosen by the seed; all of them where `cases` is `undefined`. */
export const runConfigFuzz = async ({ seed, cases }: { readonly seed: number; readonly cases?: number | undefined }): Promise<Ran> => {
  const all = schemaPlaces().flatMap((place) =>
    Object.keys(values).flatMap((name): Case[] => [
      { place, name, isBare: false },
      { place, name, isBare: true },
    ]),
  )
  const chosen = cases === undefined ? all : createRandom(seed).shuffle(all).slice(0, cases)
  const dir = mkdtempSync(join(tmpdir(), 'headgate-fuzz-'))
  try {
    const slips: Slip[] = []
    for (const each of chosen) slips.push(...(await tryCase(dir, each)))
    return { cases: chosen.length, slips }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

const tryCase = async (dir: string, { place: { file, path, beside }, name, isBare }: Case): Promise<readonly Slip[]> => {
  const data = withValue(bases[file], path, values[name] as Json, isBare ? [] : beside)
  writeFileSync(join(dir, file), file.endsWith('.json') ? JSON.stringify(data, null, 1) : stringify(data))
  const slip = (wrong: string): Slip => ({ file, path: path.join('.'), value: name, wrong })
  try {
    const workspace = { dataDir: dir, env: {}, self: 'headgate' }
    const { diagnostics } = await validate(workspace, { paths: [join(dir, file)], asked: false, withoutEnv: true, withoutRefs: true })
    return diagnostics.flatMap(wrongWith).map(slip)
  } catch (error) {
    return [slip(`crash: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)]
  }
}
