/** Makes fingerprints of findings. A fingerprint stays the same when the line of its finding moves. */

import { createHash } from 'node:crypto'
import type { Diagnostic } from '../../core/diagnostic.ts'

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Hashes the message without the path of the data directory (`folder`). Returns 16 hex digits. */
export const messageHash = ({ message }: Diagnostic, folder: string): string =>
  hash(message.replaceAll(`${folder}/`, '').replaceAll(folder, '')).slice(0, 16)

/** Hashes code, route, pointer and message, but not file, line and column. Returns 64 hex digits. */
export const fingerprintOf = (each: Diagnostic, folder: string): string =>
  hash(JSON.stringify([each.code, each.route ?? null, each.pointer, messageHash(each, folder)]))
