/** Finds secrets in clear text in a configuration file that other users can read, or that git keeps for ever (WH303). */

import { readFileSync, type Stats, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { insecure as noVerification } from '../../config/config.ts'
import { configSchema, mapWhere } from '../../config/schema-walk.ts'
import type { Source } from '../../config/yaml/source.ts'
import { type Diagnostic, diagnostic, type Path, pointerOf } from '../../core/diagnostic.ts'

const maxIndexBytes = 67_108_864

/** Returns at most one finding for a file: at its first secret, with the places of its further secrets. */
export const reviewOpenSecrets = (source: Source): Diagnostic[] => {
  const { file } = source
  const why = isTracked(file) ? 'git keeps this file' : whyReadable(file)
  if (why === undefined) return []
  const [first, ...others] = literalsIn(source)
  if (!first) return []
  const count = others.length === 0 ? 'a secret stands' : `${others.length + 1} secrets stand`
  const help = why.startsWith('git')
    ? 'put it into .env, which git ignores, and write ${NAME} here'
    : `chmod 600 ${file}, or write \${NAME} here`
  const related = others.slice(0, 10).map((path) => ({ place: source.place(path), message: 'another one' }))
  const more = { pointer: pointerOf(first), place: source.place(first), help, ...(related.length > 0 ? { related } : {}) }
  return [diagnostic('WH303', `${count} here in clear text, and ${why}`, more)]
}

/**
 * Returns the paths of secrets that stand in clear text. `x-secret` in the schema only means that a value may be written as `${NAME}` or
 * `file:…`, and web addresses have it too. So a secret is a value with `x-redact`, or a value under one of the keys below. `noVerification`
 * is the word that switches verification off, and no secret.
 */
const literalsIn = ({ data }: Source): Path[] => {
  const found: Path[] = []
  mapWhere('x-secret', configSchema, data, (node, value, path) => {
    const key = String(path.at(-1))
    const isSecret = node['x-redact'] === true || key === 'secret' || key === 'api_key' || path.at(-2) === 'secrets'
    const isWritten = typeof value === 'string' && value.trim() !== '' && value !== noVerification && !/^file:|\$\{|^\$\w+$/.test(value)
    if (isSecret && isWritten) found.push(path)
    return value
  })
  return found
}

const statQuietly = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/**
 * Returns why other users can read a file: the mode of the file lets them, and the mode of no folder around it keeps them out. `undefined`:
 * other users cannot read the file.
 */
const whyReadable = (file: string): string | undefined => {
  const mode = statQuietly(file)?.mode ?? 0
  if ((mode & 0o044) === 0) return undefined
  for (let folder = dirname(resolve(file)); ; folder = dirname(folder)) {
    if (((statQuietly(folder)?.mode ?? 0) & 0o011) === 0) return undefined
    if (folder === dirname(folder)) break
  }
  return `others can read the file (mode ${(mode & 0o777).toString(8).padStart(4, '0')})`
}

/** Whether the index of the git repository around a file has the file. The index has no ignored files, and no files that were not added. */
const isTracked = (file: string): boolean => {
  for (let folder = dirname(resolve(file)); ; folder = dirname(folder)) {
    const index = join(folder, '.git', 'index')
    const size = statQuietly(index)?.size
    if (size !== undefined) return size <= maxIndexBytes && indexNames(index, relative(folder, resolve(file)))
    if (folder === dirname(folder) || statQuietly(join(folder, '.git'))) return false
  }
}

const indexNames = (index: string, path: string): boolean => {
  try {
    const bytes = readFileSync(index)
    const name = Buffer.from(`${path.split(sep).join('/')}\0`)
    for (let at = bytes.indexOf(name); at > 0; at = bytes.indexOf(name, at + 1)) {
      // In the index, 16 bits of flags stand before a name. Their lower twelve bits are the length of the name.
      if ((bytes.readUInt16BE(at - 2) & 0xfff) === Math.min(name.length - 1, 0xfff)) return true
    }
    return false
  } catch {
    return false
  }
}
