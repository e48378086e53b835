/** Unpacks a backup into a folder, and checks all of it there. */

import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault, messageOf } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { embedded } from '../../store/index.ts'
import { type ArchivedFile, type ArchiveEntry, readArchive } from './archive.ts'
import { fileKind, manifestName } from './backup-files.ts'
import { damaged, type Manifest, parseManifest } from './manifest.ts'

const maxFiles = 100_000
const maxManifestBytes = 32 * 1024 * 1024

/**
 * Unpacks the backup in `file` into the empty folder `into`, and checks it: that it is complete, that no byte differs, and that this
 * version can read its database. Throws a Fault where it cannot be used. Names that would lead out of the folder are refused.
 */
export const stageBackup = async (file: string, into: string): Promise<Manifest> => {
  const found = new Map<string, ArchivedFile>()
  const room = await roomIn(into)
  let manifest: Manifest | undefined
  try {
    for await (const entry of readArchive(file)) {
      if (manifest) throw damaged('something follows its list of files')
      if (entry.name === manifestName) manifest = parseManifest(await manifestText(entry))
      else found.set(entry.name, await unpack(entry, { into, found, room }))
    }
  } catch (error) {
    throw error instanceof Fault ? error : readingFault(file, error)
  }
  if (!manifest) throw damaged('it is cut off')
  compareFiles(manifest.files, found)
  const database = `state/${embedded.copies.name}`
  if (found.has(database)) await embedded.copies.check(join(into, database))
  return manifest
}

const readingFault = (file: string, error: unknown): unknown => {
  const isOfSystem = error instanceof Error && 'syscall' in error
  return isOfSystem ? diskFault('read', file, error) : damaged(messageOf(error))
}

const manifestText = async ({ chunks }: ArchiveEntry): Promise<string> => {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxManifestBytes) throw damaged('its list of files is too long')
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString('utf8')
}

type Unpacking = { readonly into: string; readonly found: ReadonlyMap<string, ArchivedFile>; readonly room: (bytes: number) => void }

/**
 * Returns a function that counts unpacked bytes, and throws a Fault once they leave less than a tenth of the space that is free now: a
 * small archive can unpack to so many bytes that it fills the disk, which other programs use too.
 */
const roomIn = async (folder: string): Promise<Unpacking['room']> => {
  const { bavail, bsize } = await statfs(folder)
  let left = bavail * bsize * 0.9
  return (bytes) => {
    left -= bytes
    if (left >= 0) return
    const hint = 'make room there, or restore into a data directory on another disk: --data-dir'
    throw new Fault('no_room', `the backup takes more than nine tenths of the free space in ${folder}`, { exitCode: exit.no, hint })
  }
}

const unpack = async (entry: ArchiveEntry, { into, found, room }: Unpacking): Promise<ArchivedFile> => {
  const { name } = entry
  if (!entry.isFile || fileKind(name, embedded.copies.name) === undefined)
    throw damaged(`it has "${printable(name, 200)}", which no backup has`)
  if (found.has(name)) throw damaged(`it has ${printable(name, 200)} twice`)
  if (found.size >= maxFiles) throw damaged(`it has more than ${maxFiles} files`)
  const path = join(into, name)
  const digest = createHash('sha256')
  let bytes = 0
  async function* counted(): AsyncIterable<Uint8Array> {
    for await (const chunk of entry.chunks) {
      digest.update(chunk)
      bytes += chunk.length
      room(chunk.length)
      yield chunk
    }
  }
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const mode = 0o600 | (entry.mode & 0o700)
    await pipeline(Readable.from(counted()), createWriteStream(path, { flags: 'wx', mode, flush: true }))
  } catch (error) {
    const refused = error instanceof Fault ? error : diskFault('write', path, error)
    throw refused instanceof Fault ? refused : damaged(messageOf(error))
  }
  return { name, bytes, sha256: digest.digest('hex') }
}

const compareFiles = (listed: readonly ArchivedFile[], found: ReadonlyMap<string, ArchivedFile>): void => {
  for (const { name, bytes, sha256 } of listed) {
    const file = found.get(name)
    if (!file) throw damaged(`${printable(name, 200)} is missing in it`)
    if (file.bytes !== bytes || file.sha256 !== sha256) throw damaged(`${printable(name, 200)} was changed`)
  }
  if (new Set(listed.map(({ name }) => name)).size !== listed.length) throw damaged('its list names a file twice')
  if (listed.length !== found.size) throw damaged('it has files that its list does not have')
}
