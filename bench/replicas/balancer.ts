/**
 * A load balancer as users have it. Each new connection goes to the next replica that is ready. A connection that this replica refuses goes
 * to another replica. A connection that breaks cuts its requests, and the senders send the events again.
 */

import { request } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from './listen.ts'

/** What the balancer knows of a replica. */
type Backend = { readonly port: () => number | undefined; isReady: boolean }

export type Balancer = { readonly url: string; close(): void }

const askEveryMs = 250
const askMs = 1_000

/** `ports`: for each replica, a function that returns its port; `undefined` while the replica does not listen. */
export const startBalancer = async (ports: readonly (() => number | undefined)[]): Promise<Balancer> => {
  const backends: Backend[] = ports.map((port) => ({ port, isReady: true }))
  const open = new Set<Socket>()
  let turn = 0
  const server = createServer((client) => {
    open.add(client)
    client.once('close', () => open.delete(client))
    client.on('error', () => client.destroy())
    const inTurn = backends.map((_, i) => backends[(turn + i) % backends.length] as Backend)
    turn++
    // Where no replica is ready, each replica is tried, because the answer of the replica says why.
    const ready = inTurn.filter(({ isReady }) => isReady)
    forward(
      client,
      (ready.length > 0 ? ready : inTurn).flatMap(({ port }) => port() ?? []),
    )
  })
  const asking = setInterval(() => {
    for (const backend of backends) void askReady(backend)
  }, askEveryMs)
  const port = await listenOn(server)
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      clearInterval(asking)
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

/** Connects a client with the first of these ports that takes the connection. */
const forward = (client: Socket, [port, ...others]: readonly number[]): void => {
  if (port === undefined) return void client.destroy()
  const target = connect(port, '127.0.0.1').setNoDelay()
  target.once('error', () => (target.connecting || target.pending ? forward(client, others) : client.destroy()))
  target.once('connect', () => {
    client.setNoDelay()
    client.pipe(target)
    target.pipe(client)
    client.once('close', () => target.destroy())
    target.once('close', () => client.destroy())
  })
}

const askReady = async (backend: Backend): Promise<void> => {
  const port = backend.port()
  const status = port === undefined ? 0 : await statusOf(port)
  backend.isReady = status !== 0 && status !== 503
}

/** The status of `/readyz`; 0 where no answer comes in time. */
const statusOf = (port: number): Promise<number> =>
  new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path: '/readyz', agent: false, timeout: askMs }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(0))
    asked.end()
  })
