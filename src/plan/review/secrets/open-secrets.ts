/** Finds secrets that other users can read, or that git keeps for ever: in a configuration file, or in a file that it names (WH303). */

import { readFileSync, type Stats, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { insecure as noVerification } from '../../../config/config.ts'
import type { Env } from '../../../config/env.ts'
import type { FileSource } from '../../../config/files.ts'
import { mapWhere } from '../../../config/schema-walk.ts'
import { hasReference, namesFile, secretFileOf } from '../../../config/secrets/reference.ts'
import { type Diagnostic, diagnostic, type Path, pointerOf } from '../../../core/diagnostic.ts'
import type { JsonObject } from '../../../core/json.ts'
import { namesSettingSecret, namesVariableSecret } from '../../../core/secret-names.ts'
import { secretParts, secretPlaceBelow, topOfSettings } from '../../../secrets/secret-place.ts'

const maxIndexBytes = 67_108_864

/**
 * Returns at most one finding for a configuration file: at its first secret, with the places of its further secrets. Then come the findings
 * for the files that it names with `file:` and `credential:`, whose references `env` resolves.
 */
export const reviewOpenSecrets = (source: FileSource, env: Env): Diagnostic[] => [
  ...reviewLiterals(source),
  ...reviewSecretFiles(source, env),
]

const reviewLiterals = (source: FileSource): Diagnostic[] => {
  const { file } = source
  const why = isTracked(file) ? 'git keeps this file' : whyReadable(file)
  if (why === undefined) return []
  const [first, ...others] = openSecretsIn(source)
    .filter(isLiteral)
    .map(({ path }) => path)
  if (!first) return []
  const count = others.length === 0 ? 'a secret stands' : `${others.length + 1} secrets stand`
  const help = why.startsWith('git')
    ? 'put it into .env, which git ignores, and write ${NAME} here'
    : `chmod 600 ${file}, or write \${NAME} here`
  const related = others.slice(0, 10).map((path) => ({ place: source.place(path), message: 'another one' }))
  const more = { pointer: pointerOf(first), place: source.place(first), help, ...(related.length > 0 ? { related } : {}) }
  return [diagnostic('WH303', `${count} here in clear text, and ${why}`, more)]
}

const reviewSecretFiles = (source: FileSource, env: Env): Diagnostic[] =>
  openSecretsIn(source).flatMap(({ path, text }): Diagnostic[] => {
    const named = namesFile(text) ? secretFileOf(text, env) : undefined
    if (!named || !('path' in named)) return []
    const why = whyReadable(named.path)
    if (why === undefined) return []
    const more = {
      pointer: pointerOf(path),
      place: source.place(path),
      help: `chmod 400 ${named.path}, or keep other users out of its folder`,
    }
    return [diagnostic('WH303', `a secret stands in the file of ${text}, and ${why}`, more)]
  })

/** Returns the secrets as they are written, each with its path. An address is one where it holds a credential. */
const openSecretsIn = ({ data, schema }: FileSource): WrittenSecret[] => {
  const found: WrittenSecret[] = []
  const gather = (word: string, isFound: (node: JsonObject, text: string, path: Path) => boolean): void => {
    mapWhere(word, schema, data, (node, value, path) => {
      if (typeof value === 'string' && isFound(node, value, path)) found.push({ path, text: value })
      return value
    })
  }
  gather('x-secret', (node, _, path) => isNamed(node, path))
  gather('x-address', (_, text) => holdsCredentials(text))
  return found
}

/** Whether a value that may be a reference is a secret: a header, a variable or a setting with a name of one's own is one by this name. */
const isNamed = (node: JsonObject, path: Path): boolean => {
  const [parent, key = ''] = path.slice(-2).map(String)
  if (parent === 'headers' || parent === 'env') return namesVariableSecret(key)
  return node['x-secret'] === true || (node['x-secret'] === 'public' && key !== 'public_key' && namesSettingSecret(key))
}

const addressPlace = secretPlaceBelow(topOfSettings, 'url', false)

/** Whether a text is an address with a password in it, or one with a secret parameter or a token in its path. */
const holdsCredentials = (text: string): boolean =>
  /^[a-z][\w+.-]*:\/\/[^\s/?#@]*:[^\s/?#]+@/i.test(text) || secretParts(text, addressPlace).length > 0

type WrittenSecret = { readonly path: Path; readonly text: string }

/** Whether a secret is written in clear text. `noVerification` is the word that switches verification off, and no secret. */
const isLiteral = ({ text }: WrittenSecret): boolean =>
  text.trim() !== '' && text !== noVerification && !hasReference(text) && !/^\$\w+$/.test(text)

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
      // In the index of git, 16 bits of flags stand before a name. Their lower twelve bits are the length of the name.
      if ((bytes.readUInt16BE(at - 2) & 0xfff) === Math.min(name.length - 1, 0xfff)) return true
    }
    return false
  } catch {
    return false
  }
}
