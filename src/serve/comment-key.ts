/**
 * The comment key: it seals the invisible mark in each comment that a gateway posts, so that the gateway recognises its own comments in
 * later events. The key is random, made once for a data directory, and never shown.
 */

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { diskFault } from '../core/disk-fault.ts'
import { writeWhole } from '../core/durable-file.ts'
import { createOwnComments, type OwnComments } from '../parts/own-comment.ts'
import type { Shared } from '../store/shared.ts'

/** The path of the key's file below the data directory. Gateways with the same key recognise each other's comments. */
export const commentKeyFile = join('state', 'comment-key')

const keyBytes = 32
const hexForm = new RegExp(`^[0-9a-f]{${keyBytes * 2}}\n?$`)

/** Reads the key of a data directory; `undefined` where no gateway has made a key, or the file is damaged or cannot be read. */
const readCommentKey = (dataDir: string): Buffer | undefined => {
  try {
    const text = readFileSync(join(dataDir, commentKeyFile), 'utf8')
    return hexForm.test(text) ? Buffer.from(text.trimEnd(), 'hex') : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the key of a data directory, and makes a key where there is no usable one. `shared`: the shared store, if any. All gateways on a
 * shared store have the key of the first gateway, because a comment of one gateway may reach another gateway as an event. Only the gateway
 * that serves the directory calls this function. Throws a Fault where the key cannot be written, and a StoreFault where the shared store
 * does not answer.
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
 * Recognises the comments that the gateway of a data directory has posted, for commands that work without a running gateway. Where the
 * directory has no key yet, no comment is recognised.
 */
export const ownCommentsOf = (dataDir: string): OwnComments => createOwnComments(() => readCommentKey(dataDir) ?? randomBytes(keyBytes))
