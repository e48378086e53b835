/** An HTTP server on loopback that keeps the requests it gets and answers as a test wants. It ends with its test. */

import { randomInt } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export type Seen = { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }

export type Sink = { readonly seen: Seen[]; readonly origin: string }

/** Starts the server on a free port, or on the Unix socket `path`. */
export const sink = async (t: Test, answer: (response: ServerResponse, seen: Seen) => void, path?: string): Promise<Sink> => {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const one = { method, url, headers, body: Buffer.concat(chunks).toString() }
    seen.push(one)
    answer(response, one)
  })
  await new Promise<void>((ready) => (path === undefined ? server.listen(0, '127.0.0.1', ready) : server.listen(path, ready)))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, origin: path === undefined ? `http://127.0.0.1:${(server.address() as AddressInfo).port}` : '' }
}

/** Whether somebody listens on `port` of loopback. */
const listens = async (port: number): Promise<boolean> => {
  const server = createServer()
  const taken = await new Promise<boolean>((found) => {
    server.once('error', () => found(true)).listen(port, '127.0.0.1', () => found(false))
  })
  if (!taken) await new Promise((closed) => server.close(closed))
  return taken
}

/**
 * Returns an address on loopback that nobody listens on. The system hands out its port neither for port 0 nor to a client (32768 to 60999
 * on Linux): otherwise another test that runs at the same time could be given that port.
 */
export const closedOrigin = async (): Promise<string> => {
  const port = randomInt(12_000, 32_768)
  return (await listens(port)) ? closedOrigin() : `http://127.0.0.1:${port}`
}

export const json = (response: ServerResponse, status: number, body: unknown, headers: { [name: string]: string } = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
