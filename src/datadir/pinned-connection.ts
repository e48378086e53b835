/** Connects to the gateway of this machine over TLS. The certificate must be the one that its control socket names, whatever its names are. */

import type { RequestOptions } from 'node:http'
import { connect, type TLSSocket } from 'node:tls'
import { Fault } from '../core/fault.ts'
import type { Status } from '../generated/control.ts'

const timeoutMs = 5_000

/** Returns the fingerprint of the certificate that a gateway shows a client that asks for no name; `undefined` where it speaks plain HTTP. */
export const pinOf = ({ certificates }: Pick<Status, 'certificates'>): string | undefined => certificates?.[0]?.fingerprint

/** Returns the options of a request of `node:http` that goes over this connection, or over a new one. */
export const connectionOptions = (socket: TLSSocket | undefined): RequestOptions =>
  socket ? { protocol: 'http:', createConnection: () => socket } : {}

/**
 * Connects to an https address, and resolves once the handshake is over. `pin`: the SHA-256 of the certificate. Rejects where another
 * certificate is shown, so that nothing is sent to a stranger on this port.
 */
export const connectPinned = (url: URL, pin: string): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const socket = connect({ host, port: Number(url.port || 443), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    const fail = (error: Error): void => {
      socket.destroy()
      reject(error)
    }
    socket.setTimeout(timeoutMs, () => fail(new Error(`no answer within ${timeoutMs / 1000} s`)))
    socket.once('error', fail)
    socket.once('secureConnect', () => {
      const shown = socket.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '').toLowerCase()
      if (shown !== pin)
        return fail(new Fault('certificate', `${url.host} shows another certificate than the gateway has`, { exitCode: 1 }))
      socket.setTimeout(0)
      socket.removeListener('error', fail)
      resolve(socket)
    })
  })
