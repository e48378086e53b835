/**
 * Resolves the references in one text: `${NAME}`, `${NAME:-default}`, `file:/path`, `credential:NAME` and `exec:PROVIDER/ID` (rules:
 * Configuration 3). A credential is a file in the folder that systemd names in `CREDENTIALS_DIRECTORY` (systemd.exec(5), LoadCredential=).
 */

import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { messageOf } from '../../core/fault.ts'
import { own } from '../../core/json.ts'
import { nearest, printable } from '../../core/text.ts'
import { namesProvider } from '../../secrets/secret-place.ts'
import { fillVariables } from '../../secrets/variables.ts'
import { type Env, isUnknown } from '../env.ts'
import { providerReference, type SecretSources } from './providers.ts'

const maxSecretBytes = 65_536
const credentialFolder = 'CREDENTIALS_DIRECTORY'
/** The names of files that systemd takes for credentials, without those that would have to be quoted. */
const credentialName = /^(?!\.{1,2}$)[\w.@+-]{1,255}$/

/**
 * Why a reference cannot be resolved, as an end of "cannot resolve", and what to do. Neither quotes a secret. `isProgram`: a program gave
 * no secret, so the file may be right.
 */
export type Unresolved = { readonly problem: string; readonly help: string; readonly isProgram?: true }

/** What references are resolved with. Without `secrets`, no provider is known. */
export type References = { readonly env: Env; readonly secrets?: SecretSources | undefined }

/** Whether a text names the file of a secret: `file:/path` or `credential:NAME`. */
export const namesFile = (text: string): boolean => /^(?:file|credential):/.test(text)

/** Whether a text is a reference, or has a reference in it. */
export const hasReference = (text: string): boolean => text.includes('${') || namesFile(text) || namesProvider(text)

/**
 * Returns a text with its references resolved. `kept`: why the secret of a program is not newer. `undefined`: the secret of a program,
 * while programs were not asked, or of a file, while the environment is unknown.
 */
export const resolveReferences = (
  text: string,
  { env, secrets }: References,
): { readonly value: string; readonly kept?: string } | Unresolved | undefined => {
  if (namesProvider(text)) return resolveProvided(text, secrets)
  // Only the configuration names files: a variable whose value begins with "file:" is a secret like any other.
  if (!namesFile(text)) return fillFrom(text, env)
  // A check that does not know the environment reads nothing beside its files, so the secret counts as present.
  if (isUnknown(env)) return undefined
  const file = secretFileOf(text, env)
  return 'path' in file ? readSecretFile(file.path, text) : file
}

/** Resolves a reference to a secret of a program. `text`: begins as such a reference (`exec:`). */
const resolveProvided = (text: string, secrets: SecretSources | undefined): ReturnType<typeof resolveReferences> => {
  const named = providerReference(text)
  if (!named) return { problem: `${printable(text, 80)}: it is no exec:PROVIDER/ID`, help: idHelp }
  const known = Object.keys(secrets?.providers ?? {})
  if (!known.includes(named.provider)) {
    const help = known.length > 0 ? `known here: ${known.join(', ')}` : 'declare it under secrets.providers in the main config.yaml'
    return { problem: `${text}: there is no provider "${named.provider}"`, help }
  }
  if (!secrets?.provided) return undefined
  const provided = secrets.provided.get(`${named.provider}/${named.id}`)
  if (!provided) return { problem: `${text}: its program was not asked yet`, help: 'headgate gateway reload', isProgram: true }
  return 'value' in provided ? provided : { problem: `${text}: ${provided.problem}`, help: provided.help, isProgram: true }
}

const idHelp =
  'an ID has at most 255 letters, digits, "_", ".", "@", "+", "=", ":", "#", "-" and "/"; it begins with a letter, a digit or "_", and no segment is empty, "." or ".."'

/** Returns the path of the file that a text names (`namesFile`). The file need not exist. */
export const secretFileOf = (text: string, env: Env): { readonly path: string } | Unresolved => {
  const filled = fillFrom(text, env)
  if (!('value' in filled)) return filled
  const name = filled.value.slice(filled.value.indexOf(':') + 1)
  return text.startsWith('file:') ? { path: name } : credentialOf(name, text, env)
}

/**
 * Returns the path of a credential in the folder that systemd gives. `text`: the reference as it is written. Messages quote only this text,
 * because a variable in it may be a secret.
 */
const credentialOf = (name: string, text: string, env: Env): { readonly path: string } | Unresolved => {
  const unresolved = (why: string, help: string): Unresolved => ({ problem: `${text}: ${why}`, help })
  if (!credentialName.test(name))
    return unresolved('it is no name of a credential', 'a name has letters, digits, ".", "_", "-", "@" or "+", and no folder')
  const folder = own(env as { [name: string]: string | undefined }, credentialFolder)
  if (folder === undefined || folder === '') return unresolved(`${credentialFolder} is not set`, credentialHelp(text))
  if (!isAbsolute(folder)) return unresolved(`${credentialFolder} is no absolute path`, credentialHelp(text))
  return { path: join(folder, name) }
}

const credentialHelp = (text: string): string =>
  `write LoadCredential=${text.slice('credential:'.length)}:/path/to/its/file under [Service] in the unit; without systemd set ${credentialFolder} to the folder that has it`

const readSecretFile = (path: string, text: string): { readonly value: string } | Unresolved => {
  const unresolved = (why: string): Unresolved => ({
    problem: `${text}: ${why}`,
    help: text.startsWith('file:') ? 'mend the path, or the rights to the file' : credentialHelp(text),
  })
  try {
    const stat = statSync(path)
    // A pipe that nobody writes to would hold the reading up for ever.
    if (!stat.isFile()) return unresolved('it is no regular file')
    if (stat.size > maxSecretBytes) return unresolved(`it is larger than ${maxSecretBytes} bytes`)
    return { value: readFileSync(path, 'utf8').replace(/\r?\n$/, '') }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : messageOf(error)
    return unresolved(own(reasons, code) ?? code)
  }
}

const reasons: { readonly [code: string]: string } = { ENOENT: 'there is no such file', EACCES: 'this user may not read it' }

const fillFrom = (text: string, env: Env): { readonly value: string } | Unresolved => {
  const filled = fillVariables(text, env)
  if ('value' in filled) return filled
  const { missing } = filled
  if (missing === credentialFolder) return { problem: `\${${missing}}`, help: credentialHelp('credential:NAME') }
  const meant = nearest(missing, Object.keys(env)).map((name) => `\${${name}}`)
  const help = meant.length > 0 ? `did you mean ${meant.join(' or ')}? Else ${variableHelp}` : variableHelp
  return { problem: `\${${missing}}`, help }
}

const variableHelp = 'set the variable (in the environment or in .env), or give it a default with ${NAME:-default}'
