/** Checks whether the gateway listens on its port or could, and which machines can reach its address. */

import { createServer } from 'node:net'
import { isLoopback } from '../../config/config.ts'
import { type Check, type CheckInput, fail, ok, warn } from '../../datadir/check.ts'
import { listenerAt } from '../../datadir/route-address.ts'

/**
 * Listens on the address for a moment. Resolves to the code of the error, such as `EADDRINUSE`, or to its message where it has no code; to
 * `undefined` where listening works.
 */
export const bindError = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })

/** Returns the check of the port, and the check of which machines can reach the address. */
export const checkListenAddress = async (input: CheckInput): Promise<readonly Check[]> => [...(await checkPort(input)), checkReach(input)]

const checkPort = async ({ loaded, status, workspace: { self } }: CheckInput): Promise<readonly Check[]> => {
  const { host, port } = loaded.config
  if (status) {
    const { port: ownPort } = listenerAt(status.url)
    const held = `our gateway listens on ${status.url} (process ${status.pid})`
    if (port === 0 || ownPort === port) return [ok('port', held)]
    const isChangedInFile = status.changed_files.length > 0 || status.need_restart.includes('port')
    if (!isChangedInFile) return [ok('port', `${held}, as it was started (the configuration says ${port})`)]
    return [warn('port', `${held}, but the configuration says port ${port}`, 'start the gateway again')]
  }
  if (port === 0) return [ok('port', 'any free one')]
  const code = await bindError(host, port)
  if (code === undefined) return [ok('port', `${port} is free; no gateway runs`)]
  return [fail('port', ...listenProblem(code, host, port, self), { code: 'WH801' })]
}

const listenProblem = (code: string, host: string, port: number, self: string): [message: string, fix: string] => {
  if (code === 'EADDRINUSE') {
    const fix = `see who has it: ss -ltnp 'sport = :${port}' (systemd holds it where a socket unit starts the gateway); or take another: ${self} gateway setup --yes --port <number>`
    return [`another program listens on port ${port}`, fix]
  }
  if (code === 'EACCES') return [`port ${port} is not allowed to this user`, `${self} gateway setup --yes --port 8644, behind a proxy`]
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return [`${host} is no address of this machine`, 'set platforms.webhook.extra.host: 127.0.0.1']
  return [`nothing can listen on ${host}:${port} (${code})`, 'check platforms.webhook.extra.host and port']
}

const checkReach = ({ loaded: { config } }: CheckInput): Check => {
  const { host, adapter, tls } = config
  if (isLoopback(host)) return ok('address', `${host}: only this machine reaches it`)
  if (tls) return ok('address', `${host}, with TLS`)
  if (adapter.trust_proxy !== false) return ok('address', `${host}, with a proxy that is trusted`)
  const fix = 'set tls, or listen on 127.0.0.1 behind a proxy with TLS, or name the proxy: platforms.webhook.extra.trust_proxy'
  return warn('address', `${host}: other machines reach it, without TLS`, fix)
}
