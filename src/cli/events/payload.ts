/** What was kept of an event's request: best effort, so that it may be missing, and then it is said why. */

import { isUtf8 } from 'node:buffer'
import type { JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { journalFolder } from '../../journal/folder.ts'
import { readRaw } from '../../journal/reader.ts'
import type { EventView, RawRequest } from '../../journal/record.ts'
import type { Cli } from '../shell/output.ts'
import { isJson, prettyJson } from '../shell/pretty-json.ts'
import { excerpt } from './view.ts'

const notKept = 'not kept: payloads are kept best effort, within the limits of storage.retention'
const isGone = 'gone: payloads are kept best effort, and its segment was removed or damaged'

/** The request, or a sentence on why there is none. */
export const payloadOf = async ({ raw }: EventView, cli: Cli): Promise<RawRequest | string> => {
  if (!raw) return notKept
  return (await readRaw(journalFolder(cli.workspace.dataDir), raw)) ?? isGone
}

/** A body for programs: its text where it is one, else its bytes. */
export const describePayload = (payload: RawRequest | string): JsonObject => {
  if (typeof payload === 'string')
    return { payload: payload.split(':')[0] ?? '', headers: null, body: null, body_base64: null, body_bytes: null }
  const { headers, body } = payload
  const isText = isUtf8(body)
  return {
    payload: 'kept',
    headers: { ...headers },
    body: isText ? body.toString('utf8') : null,
    body_base64: isText ? null : body.toString('base64'),
    body_bytes: body.length,
  }
}

const maxShown = 65_536
const maxLines = 2_000
const maxLine = 4_096

/** A body for people, safe on a terminal and bounded; what is left out is said. */
export const bodyText = (body: Buffer, rawCommand: string): string => {
  if (body.length === 0) return '(empty)\n'
  if (!isUtf8(body)) return `(${body.length} bytes, not UTF-8: ${printable(rawCommand)} > file)\n`
  const text = body.toString('utf8')
  const whole = isJson(text) ? prettyJson(text, maxShown + 1) : text
  const lines = whole.slice(0, maxShown).split('\n')
  const isCut = whole.length > maxShown || lines.length > maxLines || lines.some((line) => line.length > maxLine)
  const shown = lines.slice(0, maxLines).map((line) => `${excerpt(line, maxLine)}\n`)
  return `${shown.join('')}${isCut ? `(cut here; all ${body.length} bytes: ${printable(rawCommand)})\n` : ''}`
}
