/** Finds the certificates that the configuration has or names, and when each ends, for the alert `certificate_ends`. */

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Config, defaultProfile } from '../../config/config.ts'
import { certificateTexts } from '../../config/tls/certificate-set.ts'

/** `of`: the place of the certificate, for people. `endsAt`: wall time, milliseconds. */
export type CertificateEnd = { readonly of: string; readonly endsAt: number }

/**
 * Returns the ends of the certificates in the files of `tls`, in the `public_key` of routes, in the file that `storage.url` names, and in the
 * file that `NODE_EXTRA_CA_CERTS` names. Of several certificates in one place, the last end counts, because a bundle of authorities always
 * has some certificates that have ended. Of the chain that the gateway shows its clients, the first end counts. A file or a certificate
 * that cannot be read is left out.
 */
export const readCertificates = ({ routes, storage, tls, profiles }: Config): readonly CertificateEnd[] => {
  const keys = [...routes.values()].flatMap(({ name, spec }) =>
    [spec.public_key ?? []].flat().flatMap((text) => endOf(`the route ${name}`, text)),
  )
  const [, query] = (storage.url ?? '').split('?', 2)
  const file = new URLSearchParams(query).get('sslrootcert')
  const extra = profiles.get(defaultProfile)?.env.NODE_EXTRA_CA_CERTS
  const shown = tls?.pairs.flatMap(({ cert, path }) => endOf(['tls', ...path, 'cert'].join('.'), readText(cert), Math.min)) ?? []
  const clients = tls?.clientCa === undefined ? [] : endOf('tls.client_ca', readText(tls.clientCa))
  return [
    ...shown,
    ...clients,
    ...keys,
    ...(file ? endOf('storage.url', readText(file)) : []),
    ...(extra ? endOf('NODE_EXTRA_CA_CERTS', readText(extra)) : []),
  ]
}

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Returns when the certificates in a text end. Where there are several, `choose` picks the one end that counts. */
const endOf = (of: string, text: string, choose = Math.max): CertificateEnd[] => {
  const ends = certificateTexts(text).flatMap((pem) => {
    try {
      const at = Date.parse(new X509Certificate(pem).validTo)
      return Number.isNaN(at) ? [] : [at]
    } catch {
      return []
    }
  })
  return ends.length === 0 ? [] : [{ of, endsAt: choose(...ends) }]
}
