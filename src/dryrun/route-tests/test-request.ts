/** Makes the request that a test sends: a sample, a payload or a file, changed and signed as the test says. */

import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import { whyUnread } from '../../core/disk-fault.ts'
import { exit, Fault } from '../../core/fault.ts'
import { type ExactJson, type ExactObject, isObject, type Json, own } from '../../core/json.ts'
import { parseJson } from '../../core/json-error.ts'
import { withDigits } from '../../core/written-digits.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { renderJson } from '../../expr/render.ts'
import type { TestSend } from '../../generated/config.ts'
import { findSample, readSample, tooLargeSample } from '../samples/gallery.ts'
import { maxSampleBytes, parseSample, type Sample } from '../samples/sample-file.ts'
import { asPosted } from '../trace/as-posted.ts'
import type { Traced } from '../trace/trace.ts'
import type { TestCase } from './suite.ts'

/** `reads`: called with the path of each file that the request is made from. */
type RequestContext = { readonly clock: Clock; readonly workspace: Workspace; readonly reads: (file: string) => void }

/**
 * Makes the request of a step, as the plan of the route takes it. Throws a Fault for a missing sample or file, and for a request that
 * cannot be sent.
 */
export const testRequest = (send: TestSend, { source, place, setup }: TestCase, around: RequestContext): Traced => {
  const { event, query, method, headers, set = {}, unset = [], sign, id } = send
  return asPosted(source, setup, {
    of: requestContent(send, dirname(place.file), around),
    set: Object.entries(withDigits(set as Json) as ExactObject).map(([path, to]) => `${path}=${jsonOf(to)}`),
    unset,
    event,
    id,
    scheme: sign,
    query,
    method,
    headers: headers as Sample['headers'] | undefined,
    at: around.clock.now(),
  })
}

/** The keys of `send` that say what is sent. A `send` has at most one of these keys. */
const contentKeys = ['sample', 'payload', 'body', 'file'] as const

const requestContent = (send: TestSend, folder: string, { workspace, reads }: RequestContext): Sample | { readonly payload: string } => {
  const given = contentKeys.filter((key) => send[key] !== undefined)
  if (given.length > 1) throw badTest(`"send" has ${given.join(' and ')}: one of them says what is sent`)
  if (send.body !== undefined) return { payload: send.body }
  if (send.sample !== undefined) {
    const sample = findSample(workspace, send.sample)
    reads(sample.file)
    return readSample(sample)
  }
  if (send.file !== undefined) {
    const file = resolve(folder, send.file)
    reads(file)
    return readContent(file)
  }
  return { payload: jsonOf(withDigits((send.payload ?? {}) as Json)) }
}

const jsonOf = (value: ExactJson): string => renderJson(value, Number.POSITIVE_INFINITY, 0)

/** Reads a file with a sample, or with a payload alone. */
const readContent = (file: string): Sample | { readonly payload: string } => {
  try {
    const stat = statSync(file)
    if (!stat.isFile()) throw badTest(`${file} is no regular file`)
    if (stat.size > maxSampleBytes) throw tooLargeSample(file)
    const text = readFileSync(file, 'utf8')
    const data = parseJson(text)
    return isObject(data) && isObject(own(data, 'headers')) ? parseSample(text, file) : { payload: text }
  } catch (error) {
    if (error instanceof Fault) throw error
    throw badTest(`cannot read ${file}: ${whyUnread(error)}`)
  }
}

const badTest = (message: string): Fault => new Fault('bad_test', message, { exitCode: exit.no })
