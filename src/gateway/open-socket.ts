/** Finds the listening socket that is open before a gateway starts: that of systemd, or that of the gateway whose place it takes. */

import type { Env } from '../config/env.ts'
import { type Fault, usage } from '../core/fault.ts'
import type { Asker } from '../http/control/ask.ts'
import type { GivenSocket } from './gateway-options.ts'
import { passedSocket } from './passed-socket.ts'

/** `host`, `port`: the address of the socket. `take` returns the socket for this gateway to listen on. */
export type OpenSocket = { readonly host: string; readonly port: number; readonly take: () => Promise<GivenSocket> }

/** `host`, `port`: what the options of the command say. `takeover`: whether to take the place of the running gateway. */
export type Wanted = { readonly host?: string | undefined; readonly port?: number | undefined; readonly takeover?: boolean | undefined }

/** Returns `undefined` where the gateway is to open a socket itself. Throws a Fault where an option names another address. */
export const findOpenSocket = async ({ host, port, takeover }: Wanted, asker: Asker, env: Env): Promise<OpenSocket | undefined> => {
  const open = takeover ? await ofPredecessor(asker, env) : ofSystemd(env)
  if (open && host !== undefined && host !== open.host) throw otherAddress('--host', open)
  if (open && port !== undefined && port !== open.port) throw otherAddress('--port', open)
  return open
}

const ofSystemd = (env: Env): OpenSocket | undefined => {
  const passed = passedSocket(env)
  return passed && { ...passed, take: async () => ({ handle: { fd: passed.fd }, isKept: true }) }
}

/** Returns the socket of the running gateway. The code for a takeover is loaded only with `--takeover`. */
const ofPredecessor = async (asker: Asker, env: Env): Promise<OpenSocket | undefined> => {
  if (passedSocket(env)) throw usage('--takeover has no effect: systemd passes the socket', 'leave it out, and restart the unit')
  const [{ gatewayAt }, { findPredecessor }] = await Promise.all([import('../http/control/client.ts'), import('./take-over.ts')])
  const predecessor = await findPredecessor(gatewayAt(asker), asker.dataDir)
  return predecessor && { ...predecessor, take: async () => ({ handle: await predecessor.takeSocket(), isKept: false }) }
}

const otherAddress = (option: string, { host, port }: OpenSocket): Fault =>
  usage(
    `${option} cannot be obeyed: the gateway listens on a socket that is open already, ${host}:${port}`,
    `leave ${option} out; the address is that of the .socket unit, or of the running gateway`,
  )
