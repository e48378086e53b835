/**
 * Runs a receiver of OTLP that reads what it gets, answers 200 and keeps nothing. It runs in the process of the bench, not on the server's
 * core.
 */

import { once } from 'node:events'
import { createServer } from 'node:http'

let started: Promise<string> | undefined

/** Starts the receiver at the first call. Returns its address. It does not keep the process alive. */
export const otlpSink = (): Promise<string> => {
  started ??= listen()
  return started
}

const listen = async (): Promise<string> => {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end())
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the receiver of OTLP has no port')
  return `http://127.0.0.1:${address.port}`
}
