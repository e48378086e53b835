/** Runs a relay in this process, on a free loopback port; a test is its sender, and may be its gateway. */

import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { stringify } from 'yaml'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { createLog } from '../../src/gateway/log.ts'
import { type Front, openFront } from '../../src/relay/front/front.ts'
import { readRelay } from '../../src/relay/front/relay-settings.ts'
import { decodeFrames, encodeFrames, type Frame } from '../../src/relay/wire/frames.ts'

export const relayKey = 'a-key-of-the-home-gateway'

type Tree = { readonly [key: string]: unknown }

export type TestRelay = {
  readonly front: Front
  readonly url: string
  readonly dir: string
  readonly lines: Tree[]
  stop(): Promise<void>
}

export type RelayOptions = {
  readonly dir?: string
  readonly clock?: Clock
  readonly port?: number
  readonly gateways?: Tree
  readonly file?: Tree
}

/** Starts a relay that serves the gateway `home`, all of whose routes it keeps. */
export const startRelay = async (
  t: Test,
  { dir, clock = systemClock, gateways, file, port = 0 }: RelayOptions = {},
): Promise<TestRelay> => {
  let front: Front | undefined
  const stop = async (): Promise<void> => {
    const running = front
    front = undefined
    await running?.close()
  }
  t.teardown(stop)
  const written = { port, gateways: gateways ?? { home: { keys: [relayKey], routes: { '*': {} } } }, ...file }
  const folder = dir ?? t.testdir({ 'relay.yaml': stringify(written) })
  const { settings, diagnostics } = readRelay(folder, {})
  if (!settings) throw new Error(diagnostics.map(({ message }) => message).join('; '))
  const lines: Tree[] = []
  const log = createLog({ level: 'debug', format: 'json', redact: (text) => text, write: (line) => void lines.push(JSON.parse(line)) })
  front = await openFront({ dataDir: folder, settings: { ...settings, port }, log, clock })
  return { front, url: front.url, dir: folder, lines, stop }
}

/** What a gateway's process says to a relay. */
export const fakeTaker = (url: string, key = relayKey, name: string = randomUUID()) => {
  const ask = (path: string, body: Buffer | string, more = {}): Promise<Response> =>
    fetch(`${url}/relay/v1/${path}`, { method: 'POST', body, headers: { authorization: `Bearer ${key}`, 'x-relay-taker': name, ...more } })
  return {
    ask,
    name,
    /** Takes requests. `holds`: the numbers of those that it has not answered. */
    async take(holds: readonly string[] = []): Promise<readonly Frame[]> {
      const answer = await ask('take', JSON.stringify({ holds }))
      return decodeFrames(Buffer.from(await answer.arrayBuffer())) ?? []
    },
    async done(id: unknown, status = 202, body = '', more = {}): Promise<number> {
      const head = { id, status, type: 'text/plain', ...more }
      return (await ask('done', encodeFrames([{ head, body: Buffer.from(body) }]))).status
    },
    leave: () => ask('done', '', { 'x-relay-leaving': '1' }),
  }
}
