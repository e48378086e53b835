/**
 * Keeps the keys of senders over restarts: a folder with a file for the key of each address, once that key has verified a request. Only
 * the gateway's user may read the files.
 */

import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../core/durable-file.ts'
import { messageOf } from '../core/fault.ts'
import { type JsonObject, parseObject } from '../core/json.ts'
import { isKeptKey } from '../generated/stored-checks.js'
import type { FetchedKey, KeptKeys } from '../parts/sender-keys.ts'
import { createKeptKeys } from './kept-keys.ts'

/** The most bytes of a file. The largest key is 256 KiB, and base64 makes it a third longer. */
const maxFileBytes = 524_288
/** The most files that are read. The folder has more files only when another program put them there. */
const maxFiles = 1_000
const keyFileForm = /^[0-9a-f]{64}\.json$/
/** The name of a file that was being written when the gateway was killed. */
const unfinishedForm = /^[0-9a-f]{64}\.json\./

export type KeyFolder = KeptKeys & {
  /** Resolves when every change has been written or reported. */
  close(): Promise<void>
}

/**
 * Reads the keys of the folder, and deletes damaged and unfinished files. A file stays where the system refuses to read it. `report`: gets
 * the reason why a key could not be written. Never rejects.
 */
export const openKeyFolder = async (folder: string, report: (reason: string) => void): Promise<KeyFolder> => {
  const names = (await readdir(folder).catch(() => [])).slice(0, maxFiles)
  const keys: (readonly [address: string, key: FetchedKey])[] = []
  for (const name of names) {
    const key = keyFileForm.test(name) ? await readKey(join(folder, name), name) : undefined
    if (key === 'unread') continue
    if (key) keys.push(key)
    else if (keyFileForm.test(name) || unfinishedForm.test(name)) await rm(join(folder, name), { force: true }).catch(() => {})
  }
  const { write, close } = createWriter(folder, report)
  return {
    ...createKeptKeys(
      keys.sort(([, a], [, b]) => a.at - b.at),
      write,
    ),
    close,
  }
}

/** The most addresses whose files wait to be written. More addresses would wait only on a disk that stands still. */
const maxWaiting = 256

/** Writes one file after the other, and for each address only its latest change. */
const createWriter = (folder: string, report: (reason: string) => void) => {
  const changes = new Map<string, FetchedKey | undefined>()
  let writing: Promise<void> | undefined
  const writeAll = async (): Promise<void> => {
    for (const [address, key] of changes) {
      changes.delete(address)
      const file = join(folder, keyFileName(address))
      try {
        if (key) await writeWhole(file, keyFileText(address, key))
        else await rm(file, { force: true })
      } catch (error) {
        report(messageOf(error))
      }
    }
    writing = undefined
  }
  return {
    write(address: string, key: FetchedKey | undefined): void {
      // Each change goes to the end of the queue, even where its address waits already.
      changes.delete(address)
      if (changes.size >= maxWaiting) report('too many wait to be written: the disk is too slow')
      else changes.set(address, key)
      writing ??= writeAll()
    },
    close: async (): Promise<void> => {
      await writing
    },
  }
}

const sha256Of = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')
const keyFileName = (address: string): string => `${sha256Of(address)}.json`

type KeptKey = { readonly address: string; readonly at: number; readonly sha256: string; readonly bytes: string }

/** Makes the text of a key's file. The file has the digest of the key: a key that lost one bit would refuse every request of the sender. */
const keyFileText = (address: string, { bytes, at }: FetchedKey): string =>
  `${JSON.stringify({ address, at, sha256: sha256Of(bytes), bytes: bytes.toString('base64') })}\n`

/** Reads the key from a file, with its address; `undefined` for a damaged or renamed file. `unread`: the system refused the reading. */
const readKey = async (file: string, name: string): Promise<readonly [string, FetchedKey] | 'unread' | undefined> => {
  const text = await readRegularFile(file).catch(({ code }) => (code === 'ELOOP' ? '' : undefined))
  if (text === undefined) return 'unread'
  const kept = parseObject(text)
  if (!isKeptKey(kept)) return undefined
  const { address, at, sha256, bytes: encoded } = kept as JsonObject & KeptKey
  const bytes = Buffer.from(encoded, 'base64')
  return keyFileName(address) === name && sha256Of(bytes) === sha256 ? [address, { bytes, at }] : undefined
}

/** Reads the text of a regular file of at most `maxFileBytes`; an empty text for other files. Follows no link. Throws Node's errors. */
const readRegularFile = async (file: string): Promise<string> => {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = await handle.stat()
    return stat.isFile() && stat.size <= maxFileBytes ? await handle.readFile('utf8') : ''
  } finally {
    await handle.close()
  }
}
