/** Starts a proxy in front of a console, on this machine. */

import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** Returns a port that is free at present. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/**
 * Starts a proxy in front of the console. The proxy adds headers, and keeps all other headers, also the Host header. `holds`: whether the
 * proxy keeps a request back and answers 204.
 */
export const startProxy = async (
  t: Test,
  port: number,
  origin: string,
  added: { readonly [name: string]: string },
  holds: (url: string) => boolean = () => false,
): Promise<void> => {
  const proxy = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    if (holds(url)) return void outgoing.writeHead(204).end()
    const passed = request(new URL(url, origin), { method, headers: { ...headers, ...added } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', () => outgoing.destroy()).pipe(outgoing)
    })
    outgoing.on('close', () => passed.destroy())
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve))
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
}
