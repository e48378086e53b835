/** The key that seals the marks of our comments: random, made once for a data directory, and never shown. */

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { diskFault } from '../../core/disk-fault.ts'
import { createOwnComments, type OwnComments } from '../../parts/own-comment.ts'
import type { Shared } from '../../store/shared.ts'
import { writeWhole } from './write-whole.ts'

/** The path below the data directory. Gateways that recognise each other's comments share this file. */
export const commentKeyFile = join('state', 'comment-key')

const keyBytes = 32
const hexForm = new RegExp(`^[0-9a-f]{${keyBytes * 2}}\n?$`)

/** Reads the key of a data directory; `undefined` where no gateway has made it, or it cannot be read. */
const readCommentKey = (dataDir: string): Buffer | undefined => {
  try {
    const text = readFileSync(join(dataDir, commentKeyFile), 'utf8')
    return hexForm.test(text) ? Buffer.from(text.trimEnd(), 'hex') : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the key of a data directory, and makes it where there is none. All gateways on a shared store have the same key, because a
 * comment of one gateway may reach another gateway as an event. The key of the first gateway counts. Only the gateway that serves the
 * directory calls this function. Throws a Fault where the key cannot be written, or a StoreFault.
 */
export const ensureCommentKey = async (dataDir: string, shared?: Pick<Shared, 'agree'>): Promise<Buffer> => {
  const kept = readCommentKey(dataDir)
  const own = kept ?? randomBytes(keyBytes)
  const key = shared ? Buffer.from(await shared.agree('comment-key', own.toString('hex')), 'hex') : own
  if (kept?.equals(key)) return kept
  const file = join(dataDir, commentKeyFile)
  try {
    await writeWhole(file, `${key.toString('hex')}\n`)
  } catch (error) {
    throw diskFault('write', file, error)
  }
  return key
}

/**
 * Recognises the comments of the gateway of a data directory, for commands that need no gateway. Where there is no key yet, no comment is
 * recognised.
 */
export const ownCommentsOf = (dataDir: string): OwnComments => createOwnComments(() => readCommentKey(dataDir) ?? randomBytes(keyBytes))
