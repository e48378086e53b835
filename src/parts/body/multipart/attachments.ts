/** Decides which files of a multipart body are kept for the run of its event, and lists all of them in the payload (decision 0165). */

import { hash } from 'node:crypto'
import { isObject, type Json, textWithMember } from '../../../core/json.ts'
import type { Attachment, BodyContent, KeptFile, UploadedFile } from '../../../core/request.ts'
import type { Route } from '../../../generated/config.ts'
import { defaults } from '../../../generated/defaults.ts'
import { harmlessName } from './file-name.ts'

type FormData = Extract<BodyContent, { readonly kind: 'multipart' }>

/** The payload of a body with its list `attachments`, and the files that are kept. */
export type PayloadWithFiles = Pick<FormData, 'text' | 'payload'> & { readonly kept: readonly KeptFile[] }

/**
 * Lists the files in the payload, and keeps those within the bounds of a route's `attachments`; without it, none. A route that splits its
 * requests keeps none either: a file is of the whole request, and each run of an item would store the file once more.
 */
export const takeFiles = (content: FormData, { attachments, split = false }: Pick<Route, 'attachments' | 'split'>): PayloadWithFiles => {
  const list = content.files.map(describe)
  const why = split === false ? 'the route has no attachments' : 'the route splits its requests'
  const whyDropped = attachments && split === false ? createBounds(attachments) : () => why
  const kept: KeptFile[] = []
  const judged = list.map((attachment, i): Attachment => {
    const dropped = whyDropped(attachment)
    if (dropped !== undefined) return { ...attachment, dropped }
    kept.push({ ...attachment, content: (content.files[i] as UploadedFile).bytes })
    return attachment
  })
  return { ...withList(content, judged), kept }
}

/** Returns the payload with the list of its files, for a record in which no file is kept. */
export const listFiles = (content: FormData): Pick<FormData, 'text' | 'payload'> => withList(content, content.files.map(describe))

const describe = ({ name, type, bytes, field }: UploadedFile): Attachment => ({
  name: harmlessName(name),
  type,
  bytes: bytes.length,
  sha256: hash('sha256', bytes),
  field,
})

/** Makes the function that says why a file is past the bounds, or counts it as kept. */
const createBounds = (settings: NonNullable<Route['attachments']>): ((file: Attachment) => string | undefined) => {
  const { max_files: maxFiles, max_bytes: maxBytes, max_total_bytes: maxTotal } = { ...defaults.attachments, ...settings }
  let [count, total] = [0, 0]
  return ({ bytes }) => {
    if (bytes > maxBytes) return `larger than ${maxBytes} bytes (attachments.max_bytes)`
    if (count === maxFiles) return `more than ${maxFiles} files (attachments.max_files)`
    if (total + bytes > maxTotal) return `more than ${maxTotal} bytes in all (attachments.max_total_bytes)`
    count++
    total += bytes
    return undefined
  }
}

/**
 * Adds the list to a payload that is a map, at the end of its text, where it takes the place of a field of its name. Nothing is added where
 * there are no files, so that a sender's own field stays.
 */
const withList = ({ text, payload }: FormData, list: readonly Attachment[]): Pick<FormData, 'text' | 'payload'> => {
  if (list.length === 0 || !isObject(payload)) return { text, payload }
  return {
    text: textWithMember(text, payload, 'attachments', JSON.stringify(list)),
    payload: { ...payload, attachments: list as unknown as Json },
  }
}
