/** Finds routes whose check of the client no request through a relay can pass. */

import type { Subject } from './subject.ts'

/** Reports a route that asks for a client certificate beside a relay: the relay hands on what was posted, and no certificate. */
export const reviewRelay = ({ spec, config, say }: Subject): void => {
  if (!config.relay) return
  const isOwn = spec.client_certificate !== undefined
  if (!isOwn && config.tls?.clientCertificates !== 'required') return
  const asks = isOwn ? 'the route asks for a client certificate' : 'tls.client_ca asks all clients for a certificate'
  say('WH331', isOwn ? ['client_certificate'] : [], `${asks}, and none passes the relay: what comes from there is refused with 403`, {
    help: 'let this sender post to the gateway itself, or check the signature alone',
    of: 'key',
  })
}
