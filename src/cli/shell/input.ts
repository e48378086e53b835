/**
 * Reads the texts that options give: the text itself, `@file`, `@-` for standard input, `@@` for a text that begins with @. Also reads
 * secrets and data from files and standard input.
 */

import { readFileSync } from 'node:fs'
import { isUsableSecret } from '../../config/adapter.ts'
import { isOfKind, type KindOfData } from '../../config/file-kind.ts'
import { noSecret } from '../../config/secrets/resolve-secrets.ts'
import { parseSource } from '../../config/yaml/source.ts'
import { whyUnread } from '../../core/disk-fault.ts'
import { usage } from '../../core/fault.ts'
import type { Json } from '../../core/json.ts'
import type { Io } from './io.ts'

/** Returns the text that an option's value means. Throws a usage Fault for a file that cannot be read. */
export const readTextOption = async (option: string, value: string, io: Pick<Io, 'stdin'>): Promise<string> => {
  if (!value.startsWith('@')) return value
  if (value.startsWith('@@')) return value.slice(1)
  return value === '@-' ? io.stdin() : readOptionFile(option, value.slice(1), 'write @@ for a text that begins with @')
}

/** Reads a file that an option names. Throws a usage Fault that names the option and the file. */
const readOptionFile = (option: string, file: string, hint?: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw usage(`${option}: cannot read ${file}: ${whyUnread(error)}`, hint)
  }
}

/**
 * Parses the JSON or YAML of an option. Throws a usage Fault for a text with a mistake. `kind`: the kind of data that the option asks for,
 * and the option's value. Where that value names a file with @ and the file has another kind of data, the Fault quotes nothing of the file,
 * not even keys.
 */
export const parseData = (option: string, text: string, kind?: { readonly value: string; readonly of: KindOfData }): Json => {
  const { source, diagnostics } = parseSource(option, text)
  const [problem] = diagnostics
  if (source && !problem) {
    if (kind?.value.startsWith('@') && !isOfKind(kind.of, source.data))
      throw usage(`${option}: ${kind.value.slice(1)} is no ${kind.of.called}: nothing of it is shown`)
    return source.data
  }
  throw usage(`${option}: ${problem?.message ?? 'not valid'} (line ${problem?.place?.line ?? 1})`)
}

type SecretOptions = { readonly secret?: string; readonly secretFile?: string; readonly secretStdin?: boolean }

/**
 * Returns the secret that the options give; `undefined` when they give none. Throws a usage Fault for several of the options, for a file
 * that cannot be read, and for an empty secret.
 */
export const readSecret = async (options: SecretOptions, io: Pick<Io, 'stdin'>): Promise<string | undefined> => {
  const { secret, secretFile, secretStdin } = options
  if ([secret, secretFile, secretStdin].filter((given) => given !== undefined).length > 1) {
    throw usage('give one of --secret, --secret-file and --secret-stdin')
  }
  const text = secretFile !== undefined ? readOptionFile('--secret-file', secretFile) : secretStdin ? await io.stdin() : secret
  const found = text?.replace(/\r?\n$/, '')
  if (found !== undefined && !isUsableSecret(found)) {
    const [, why, help] = noSecret(found) ?? [undefined, 'the secret is empty']
    throw usage(why, help)
  }
  return found
}

/**
 * Returns the secret in a file, or on standard input for `-`. A line end behind the secret does not belong to it. Throws a usage Fault for
 * a file that is empty or cannot be read.
 */
export const readSecretFile = async (option: string, file: string, io: Pick<Io, 'stdin'>): Promise<string> => {
  const found = (file === '-' ? await io.stdin() : readOptionFile(option, file)).replace(/\r?\n$/, '')
  if (found.trim() === '') throw usage(`${option}: ${file} is empty`)
  return found
}
