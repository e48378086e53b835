/** Makes the server that speaks TLS. The files of this folder are loaded only where the configuration has `tls`. */

import type { ServerOptions } from 'node:http'
import { createServer, type Server } from 'node:https'
import { TlsHandshakes } from './handshakes.ts'
import { ServedCertificates, type ServedCertificatesOptions } from './served-certificates.ts'

export type TlsServer = { readonly server: Server; readonly handshakes: TlsHandshakes; readonly certificates: ServedCertificates }

/** Makes an HTTPS server. `options`: those that the server has without TLS, too. Throws a Fault where the certificates cannot be used. */
export const createTlsServer = (options: ServerOptions, certificates: ServedCertificatesOptions): TlsServer => {
  const asksClients = certificates.settings().clientCa !== undefined
  const server: Server = createServer({
    ...options,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    requestCert: asksClients,
    // A handshake without a certificate is let through, because each route decides whether it needs one (src/parts/stages/client.ts): a
    // probe of /health needs none, and an operator sees which client was refused and why.
    rejectUnauthorized: false,
    SNICallback: (name, done) => done(null, served.contextFor(name)),
  })
  const served: ServedCertificates = new ServedCertificates(certificates, server)
  return { server, handshakes: new TlsHandshakes(), certificates: served }
}
