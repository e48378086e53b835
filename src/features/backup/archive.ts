/** Writes and reads the archives of backups: gzipped tar files, whose last entry is a list of all others with their digests. */

import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { createGunzip, createGzip } from 'node:zlib'
import { createTarDecoder, createTarPacker, type ParsedTarEntry } from 'modern-tar'

/** Most of a backup is text. A higher level costs much time, and saves little space. */
const gzipLevel = 1

/** A file in an archive. `sha256`: the digest of its bytes, in hexadecimal. */
export type ArchivedFile = { readonly name: string; readonly bytes: number; readonly sha256: string }

/** The bytes of a file, of which exactly `bytes` are archived. `mode`: the permissions of the file. */
export type Content = { readonly bytes: number; readonly mode: number; readonly chunks: AsyncIterable<Buffer> | Iterable<Buffer> }

export interface ArchiveWriter {
  /** Adds a file. Rejects where the content has fewer bytes than it said, or cannot be read. */
  add(name: string, content: Content): Promise<ArchivedFile>
}

export const textContent = (text: string, mode = 0o600): Content => {
  const bytes = Buffer.from(text)
  return { bytes: bytes.length, mode, chunks: [bytes] }
}

/**
 * Writes a new archive, which only its owner may read, and resolves when it is on the disk. `fill` adds the files. Rejects with what `fill`
 * throws, and the error of the system. Then a part of the file may be left.
 */
export const writeArchive = async (file: string, fill: (archive: ArchiveWriter) => Promise<void>): Promise<void> => {
  const { readable, controller } = createTarPacker()
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true })
  const written = pipeline(Readable.fromWeb(readable as ReadableStream), createGzip({ level: gzipLevel }), out)
  const add: ArchiveWriter['add'] = async (name, { bytes, mode, chunks }) => {
    const digest = createHash('sha256')
    const writer = controller.add({ name, size: bytes, mode, type: 'file' }).getWriter()
    // A failed write rejects both; what is thrown below says why.
    writer.closed.catch(() => {})
    let left = bytes
    for await (const chunk of chunks) {
      const part = chunk.subarray(0, left)
      digest.update(part)
      await writer.write(part)
      left -= part.length
      if (left === 0) break
    }
    if (left > 0) throw new Error(`${name} became shorter while it was read`)
    await writer.close()
    return { name, bytes, sha256: digest.digest('hex') }
  }
  const filled = (async () => {
    try {
      await fill({ add })
      controller.finalize()
    } catch (error) {
      controller.error(error)
      throw error
    }
  })()
  const [writing, filling] = await Promise.allSettled([written, filled])
  // Where the disk refused the bytes, filling fails too, for want of a reader.
  const failed = [writing, filling].find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

/** A file that is read from an archive. All of its chunks must be read before the next file. */
export type ArchiveEntry = {
  readonly name: string
  readonly isFile: boolean
  readonly mode: number
  readonly chunks: AsyncIterable<Uint8Array>
}

/** Reads the files of an archive in their order. Throws where the archive is damaged or cut off. */
export async function* readArchive(file: string): AsyncIterable<ArchiveEntry> {
  const unzipped = createGunzip()
  const reading = pipeline(createReadStream(file), unzipped)
  // A failed reading destroys `unzipped` with its error, which the loop throws.
  reading.catch(() => {})
  const entries = (Readable.toWeb(unzipped) as ReadableStream<Uint8Array>).pipeThrough(createTarDecoder({ strict: true }))
  for await (const { header, body } of entries as AsyncIterable<ParsedTarEntry>) {
    yield {
      name: header.name,
      isFile: (header.type ?? 'file') === 'file',
      mode: header.mode ?? 0o600,
      chunks: body as AsyncIterable<Uint8Array>,
    }
  }
  await reading
}
