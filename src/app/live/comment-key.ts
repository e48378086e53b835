/** The key that seals the marks of our comments: random, made once for a data directory, and shown to nobody. */

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { diskFault } from '../../core/disk-fault.ts'
import { createOwnComments, type OwnComments } from '../../parts/own-comment.ts'
import { writeWhole } from './write-whole.ts'

/** Below the data directory. Gateways that answer for each other's comments have the same file. */
export const commentKeyFile = join('state', 'comment-key')

const keyBytes = 32
const hexForm = new RegExp(`^[0-9a-f]{${keyBytes * 2}}\n?$`)

/** The key of a data directory; `undefined` where no gateway has made it, or it cannot be read. */
const keptCommentKey = (dataDir: string): Buffer | undefined => {
  try {
    const text = readFileSync(join(dataDir, commentKeyFile), 'utf8')
    return hexForm.test(text) ? Buffer.from(text.trimEnd(), 'hex') : undefined
  } catch {
    return undefined
  }
}

/** The key of a data directory, made where there is none: for the one gateway that serves it. Throws a Fault where it cannot be written. */
export const keepCommentKey = async (dataDir: string): Promise<Buffer> => {
  const kept = keptCommentKey(dataDir)
  if (kept) return kept
  const file = join(dataDir, commentKeyFile)
  const key = randomBytes(keyBytes)
  try {
    await writeWhole(file, `${key.toString('hex')}\n`)
  } catch (error) {
    throw diskFault('write', file, error)
  }
  return key
}

/** The comments of the gateway of a data directory, for commands that need no gateway. Where it has no key yet, none is recognised. */
export const ownCommentsOf = (dataDir: string): OwnComments => createOwnComments(() => keptCommentKey(dataDir) ?? randomBytes(keyBytes))
