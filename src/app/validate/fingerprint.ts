/** What makes a finding the same one after its line has moved. */

import { createHash } from 'node:crypto'
import type { Diagnostic } from '../../core/diagnostic.ts'

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Of the message alone, without the folder that the check happened to run in. 16 hex digits. */
export const messageHash = ({ message }: Diagnostic, folder: string): string =>
  hash(message.replaceAll(`${folder}/`, '').replaceAll(folder, '')).slice(0, 16)

/** Of code, route, pointer and message: not of file, line and column. 64 hex digits. */
export const fingerprintOf = (each: Diagnostic, folder: string): string =>
  hash(JSON.stringify([each.code, each.route ?? null, each.pointer, messageHash(each, folder)]))
