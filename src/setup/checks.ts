/** Checks the answers of the setup against the schema, against this machine, and against the rules of `.env`. */

import { bindError } from '../check/machine/address.ts'
import { insecure, isLoopback } from '../config/config.ts'
import { canHold, cannotHold } from '../config/edit-dot-env.ts'
import { configSchema } from '../config/schema-walk.ts'
import { noSecret } from '../config/secrets/resolve-secrets.ts'
import { shapeProblems } from '../config/shape.ts'
import type { Path } from '../core/diagnostic.ts'
import type { Json } from '../core/json.ts'
import { printable } from '../core/text.ts'
import { checkConfig } from '../generated/validators.js'
import { weakness } from '../plan/review/secrets/secrets.ts'
import { error, type Objection, warning } from './question.ts'

/** Returns a map that has only the value, at the path. */
const mapWithOnly = (path: Path, value: Json): Json => path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value)

/** Returns the objection of the schema of `config.yaml` to a value; `undefined` where it has none. */
export const checkSettingShape = (path: Path, value: Json): Objection | undefined => {
  const [problem] = shapeProblems(checkConfig, configSchema, mapWithOnly(path, value))
  return problem && error(problem.message)
}

const hostForm = /^[\w.:%-]+$/

/** Returns the objection to an address to listen on; `undefined` where there is none. `path`: its place in `config.yaml`. */
export const checkHost = async (path: Path, host: string): Promise<Objection | undefined> => {
  const shape = checkSettingShape(path, host)
  if (shape) return shape
  if (!hostForm.test(host)) return error(`"${printable(host, 60)}" is no address`, 'write an IP address, or a name like localhost')
  if (await isElsewhere(host)) return warning(`${host} is no address of this machine`, 'the gateway could not listen there')
  if (isLoopback(host) || host.startsWith('127.')) return undefined
  return warning(`other machines reach ${host}, and there is no TLS`, 'listen on 127.0.0.1 behind a proxy with TLS, where you can')
}

/** Whether no gateway on this machine could listen on the address. */
const isElsewhere = async (host: string): Promise<boolean> =>
  ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes((await bindError(host, 0)) ?? '')

/** Returns the objection to a port on the address `host`; `undefined` where there is none. `path`: its place in `config.yaml`. */
export const checkPort = async (path: Path, text: string, host: string): Promise<Objection | undefined> => {
  const port = /^\d{1,9}$/.test(text) ? Number(text) : text
  const shape = checkSettingShape(path, port)
  if (shape || typeof port === 'string') return shape
  const code = port === 0 ? undefined : await bindError(host, port)
  if (code === 'EADDRINUSE') return warning(`another program listens on port ${port}`, `see who has it: ss -ltnp 'sport = :${port}'`)
  return code === 'EACCES' ? warning(`port ${port} is not allowed to this user`, 'take one above 1023, behind a proxy') : undefined
}

/** Returns the objection to a secret that verifies senders; `undefined` where there is none. */
export const checkSigningSecret = (name: string, secret: string): Objection | undefined => {
  const [, message, help] = noSecret(secret) ?? []
  if (message !== undefined && help !== undefined) return error(message, help)
  const unfit = checkEnvValue(name, secret)
  if (unfit) return unfit
  if (secret === insecure) return warning(`with ${insecure} anybody may post`, 'use it for trials on this machine only')
  const why = weakness(secret)
  return why === undefined ? undefined : warning(`the secret ${why}`, 'make one with: openssl rand -base64 32')
}

/** Returns the objection to a value for a variable of `.env`; `undefined` where there is none. */
export const checkEnvValue = (name: string, value: string): Objection | undefined => {
  if (value.trim() === '') return error('it is empty')
  if (canHold(name, value)) return undefined
  const { message, help } = cannotHold(name)
  return error(message, help)
}
