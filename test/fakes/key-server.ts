/** Runs a sender's key server on loopback. The server notes what it is asked for, and can hold its answers back. */

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export type KeyServer = {
  readonly host: string
  readonly url: string
  /** The paths of the requests, with their queries, in their order. */
  readonly asked: string[]
  /** The answer for each path, without its query. Other paths are answered with 404. */
  readonly files: Map<string, string>
  /** Asks the server for the path of any address, without a limit of time. */
  download(url: string): Promise<Buffer>
  /** Holds all answers back until the returned function is called. */
  hold(): () => void
}

export const startKeyServer = async (t: Test): Promise<KeyServer> => {
  const asked: string[] = []
  const files = new Map<string, string>()
  let held: (() => void)[] | undefined
  const answer = (path: string, response: ServerResponse): void => {
    const file = files.get(path.replace(/\?.*/, ''))
    response.writeHead(file === undefined ? 404 : 200).end(file)
  }
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    if (held) held.push(() => answer(url, response))
    else answer(url, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    url: `http://${host}`,
    asked,
    files,
    async download(url) {
      const { pathname, search } = new URL(url)
      const answer = await fetch(`http://${host}${pathname}${search}`)
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
      return Buffer.from(await answer.arrayBuffer())
    },
    hold() {
      const waiting: (() => void)[] = []
      held = waiting
      return () => {
        held = undefined
        for (const give of waiting) give()
      }
    },
  }
}
