/** Tells whether a request came by TLS that ended in this process, and which certificate its client showed. */

import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { ClientCertificate } from '../core/request.ts'

export const isEncrypted = ({ socket }: IncomingMessage): boolean => (socket as Partial<TLSSocket>).encrypted === true

/** Returns the certificate of the client of an encrypted connection; `undefined` where it showed none that `tls.client_ca` signed. */
export const clientCertificate = ({ socket }: IncomingMessage): ClientCertificate | undefined => {
  const tls = socket as TLSSocket
  const certificate = tls.authorized ? tls.getPeerX509Certificate() : undefined
  if (!certificate) return undefined
  const { fingerprint256, subjectAltName = '' } = certificate
  const commonNames = [certificate.toLegacyObject().subject?.CN ?? []].flat()
  return {
    fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
    names: [...alternativeNames(subjectAltName), ...commonNames.map((name) => `CN:${name}`)],
  }
}

/**
 * Splits the text that Node makes of the alternative names. Node quotes a name that has a comma or a control character, so that it cannot
 * pass as several names. Such a name is left out.
 */
const alternativeNames = (text: string): string[] =>
  [...text.matchAll(/(?:^|, )([^:,"]+:)(?:"(?:[^"\\]|\\.)*"|([^,"]*))(?=,|$)/g)].flatMap(([, kind = '', name]) => {
    if (name === undefined || name === '') return []
    return [kind === 'DNS:' ? name : `${kind}${name}`]
  })
