/** Knows where the built-in samples are, and reads the payload of a sample, for a route that takes the kinds of its values as the schema of payloads. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isObject, type Json, own, parseObject } from '../../core/json.ts'
import type { Headers } from '../../core/request.ts'
import { readInside } from '../../expr/inside-file.ts'
import { ReadOnceBody } from './request-body.ts'

/** The folder of the built-in samples. The way to it differs between this source and the bundle in `dist/`. */
export const builtInSamplesFolder = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../samples/' : '../samples/', import.meta.url),
)

/** The largest file of a sample that a schema is made of, in bytes. */
const maxBytes = 1024 * 1024

/**
 * Returns the payload of a sample in the folder `samples` of the profile, or else of a built-in sample; `undefined` where there is none of
 * this name. Throws an Error for a file that is no sample with a payload.
 */
export const samplePayload = (profileDir: string, name: string): Json | undefined => {
  const root = [join(profileDir, 'samples'), builtInSamplesFolder].find((folder) => existsSync(join(folder, `${name}.json`)))
  if (root === undefined) return undefined
  const sample = parseObject(readInside(join(root, `${name}.json`), { root, called: 'the folder of samples', maxBytes }))
  const payload = sample && payloadIn(sample)
  if (payload === undefined) throw new Error('the sample has no payload')
  return payload
}

const payloadIn = (sample: { readonly [name: string]: Json }): Json | undefined => {
  const [body, text, headers] = [own(sample, 'body'), own(sample, 'body_text'), own(sample, 'headers')]
  if (body !== undefined || typeof text !== 'string') return body
  return new ReadOnceBody(isObject(headers) ? (headers as Headers) : {}, Buffer.from(text)).payload()
}
