/** Reads the section `tls`: the files of the certificates that the gateway shows its clients, and of the authorities that sign theirs. */

import { resolve } from 'node:path'
import type { Path } from '../../core/diagnostic.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { defaults } from '../../generated/defaults.ts'

/** A certificate and its key. `name`: the one name that it is for; absent for the certificate of all other names. */
export type CertificateFiles = {
  readonly cert: string
  readonly key: string
  readonly name?: string
  /** Where the pair stands below `tls`: its keys are `cert` and `key`. */
  readonly path: Path
}

export type TlsSettings = {
  /** The pair for names without a pair of their own comes first. */
  readonly pairs: readonly CertificateFiles[]
  /** The file of the authorities that sign certificates of clients. Absent: clients are not asked for certificates. */
  readonly clientCa?: string
  /** Whether each post needs a certificate of a client. Absent where clients are not asked for any. */
  readonly clientCertificates?: 'required' | 'optional'
}

/**
 * Returns the settings; `undefined` where the section, its `cert` or its `key` is missing or no text. Other malformed members are left out.
 * The shape check has reported them all.
 */
export const readTls = (tls: unknown, dataDir: string): TlsSettings | undefined => {
  if (!isObject(tls)) return undefined
  const main = pairIn(tls, [], dataDir)
  if (!main) return undefined
  const others = Array.isArray(tls.names) ? tls.names : []
  const named = others.flatMap((each, i) => (isObject(each) ? (pairIn(each, ['names', i], dataDir) ?? []) : []))
  const { client_ca: ca, client_certificates: asked } = tls
  const clients = asked === 'optional' ? 'optional' : defaults.tls.client_certificates
  return { pairs: [main, ...named], ...(typeof ca === 'string' ? { clientCa: resolve(dataDir, ca), clientCertificates: clients } : {}) }
}

const pairIn = ({ cert, key, name }: JsonObject, path: Path, dataDir: string): CertificateFiles | undefined => {
  if (typeof cert !== 'string' || typeof key !== 'string') return undefined
  const named = typeof name === 'string' ? { name: name.toLowerCase() } : {}
  return { cert: resolve(dataDir, cert), key: resolve(dataDir, key), ...named, path }
}
