/** Reads and writes the files of samples. Reading is strict; written files are indented; numbers in a JSON body keep their digits. */

import { isUtf8 } from 'node:buffer'
import { shapeProblems } from '../../config/shape.ts'
import { queryText } from '../../core/address/path-and-query.ts'
import { exit, Fault } from '../../core/fault.ts'
import { isJson, isObject, type Json, own, parseObject } from '../../core/json.ts'
import { jsonErrorPlace } from '../../core/json-error.ts'
import { compactJson, jsonText, memberText, prettyJson } from '../../datadir/json-text.ts'
import type { SampleFile } from '../../generated/sample.ts'
import { sampleSchema } from '../../generated/schema.ts'
import { checkSample } from '../../generated/validators.js'
import type { RawRequest } from '../../journal/record.ts'

/** A sample: a request as a sender posts it. */
export type Sample = Pick<SampleFile, 'provider' | 'event' | 'description' | 'query'> & {
  /** Absent: POST, where the route takes it. */
  readonly method?: string
  readonly headers: { readonly [name: string]: string }
  /** The posted body: JSON without blanks between its tokens, or another text. */
  readonly body: string
}

/** The largest file of a sample: ten times the default of `max_body_bytes`. */
export const maxSampleBytes = 10 * 1024 * 1024

/**
 * Parses a text that is a sample, or a payload alone (`isBare`), which gets no header but `content-type`. `where` names the text in
 * messages. Throws a Fault as `parseSample` does.
 */
export const sampleOf = (text: string, where: string): { readonly sample: Sample; readonly isBare: boolean } => {
  const isBare = isPayload(text)
  return {
    isBare,
    sample: isBare ? { headers: { 'content-type': 'application/json' }, body: compactJson(text) } : parseSample(text, where),
  }
}

/** Whether a text is a payload alone: JSON without the members of a sample. */
export const isPayload = (text: string): boolean => {
  if (!isJson(text)) return false
  const map = parseObject(text)
  return !map || !isObject(own(map, 'headers')) || !['body', 'body_text', 'body_base64'].some((key) => own(map, key) !== undefined)
}

/**
 * Parses the text of a sample; `where` names it in messages. Throws a Fault for a malformed sample, and for a body in base64. No message
 * quotes the text.
 */
export const parseSample = (text: string, where: string): Sample => {
  const data = sampleJson(text, where)
  if (!isObject(data) || !isObject(own(data, 'headers')))
    throw badSample(where, 'it is no sample: a sample is a map with headers and a body')
  const [problem] = shapeProblems(checkSample, sampleSchema, data, () => true)
  if (problem) throw badSample(where, problem.message, problem.help)
  const { headers, body_text, body_base64, provider, event, description, query, method } = data as unknown as SampleFile
  if (body_base64 !== undefined) throw badSample(where, 'its body is bytes that are no text: it cannot be scrubbed or sent')
  const about = Object.fromEntries(
    Object.entries({ provider, event, description, query, method }).filter(([, value]) => value !== undefined),
  )
  return { ...about, headers, body: body_text ?? memberText(text, 'body') ?? '' }
}

const sampleJson = (text: string, where: string): Json => {
  try {
    return JSON.parse(text) as Json
  } catch {
    const { line, column } = jsonErrorPlace(text)
    throw badSample(where, `not JSON (line ${line}, column ${column})`, 'one sample is one JSON document')
  }
}

const badSample = (where: string, why: string, hint?: string): Fault =>
  new Fault('bad_sample', `${where}: ${why}`, { exitCode: exit.no, ...(hint === undefined ? {} : { hint }) })

/**
 * Renders the file of a sample. The body stands in the file as JSON where the body is JSON, else as text, and in base64 where it is not
 * UTF-8.
 */
export const renderSample = (about: Omit<Sample, 'headers' | 'body'>, { method, pathAndQuery = '', headers, body }: RawRequest): string => {
  const text = isUtf8(body) ? body.toString('utf8') : undefined
  const spelled = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : jsonText(value)]),
  )
  const query = queryText(pathAndQuery).slice(1)
  const head = compactJson(
    JSON.stringify({ ...about, ...(query === '' ? {} : { query }), ...(method === undefined ? {} : { method }), headers: spelled }),
  ).slice(0, -1)
  const member =
    text === undefined
      ? `"body_base64":${JSON.stringify(body.toString('base64'))}`
      : isJson(text)
        ? `"body":${text}`
        : `"body_text":${JSON.stringify(text)}`
  return `${prettyJson(`${head},${member}}`)}\n`
}
