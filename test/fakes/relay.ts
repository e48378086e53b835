/** Runs a relay in this process, on a free loopback port. A test is the sender, and may be the gateway behind the relay. */

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { stringify } from 'yaml'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { createLog } from '../../src/gateway/log.ts'
import { openRelayServer, type RelayServer } from '../../src/relay/front/relay-server.ts'
import { readRelay } from '../../src/relay/front/relay-settings.ts'
import { decodeFrames, encodeFrames, type WireFrame } from '../../src/relay/wire/frames.ts'
import { main } from './built.ts'
import { newFolder } from './folder.ts'
import { until } from './wait.ts'

export const relayKey = 'a-key-of-the-home-gateway'

type Tree = { readonly [key: string]: unknown }

export type TestRelay = {
  readonly front: RelayServer
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
  let front: RelayServer | undefined
  const stop = async (): Promise<void> => {
    const running = front
    front = undefined
    await running?.close()
  }
  t.teardown(stop)
  const written = { port, gateways: gateways ?? { home: { keys: [relayKey], routes: { '*': {} } } }, ...file }
  const folder = dir ?? newFolder(t, { 'relay.yaml': stringify(written) })
  const { settings, diagnostics } = readRelay(folder, {})
  if (!settings) throw new Error(diagnostics.map(({ message }) => message).join('; '))
  const lines: Tree[] = []
  const log = createLog({ level: 'debug', format: 'json', redact: (text) => text, write: (line) => void lines.push(JSON.parse(line)) })
  front = await openRelayServer({ dataDir: folder, settings: { ...settings, port }, log, clock })
  return { front, url: front.url, dir: folder, lines, stop }
}

/** A relay as a process of its own, from the built command. `lines`: what it has printed so far. */
export type BuiltRelay = {
  readonly pid: number
  readonly host: string
  readonly port: number
  readonly dir: string
  readonly lines: string[]
}

/**
 * Starts the built relay, which serves the gateway `home` with these routes, and kills it at the end of the test. `file`: further keys of
 * its `relay.yaml`.
 */
export const startBuiltRelay = async (t: Test, routes: object, file: object = {}): Promise<BuiltRelay> => {
  const dir = newFolder(t, { 'relay.yaml': stringify({ port: 0, gateways: { home: { keys: [relayKey], routes } }, ...file }) })
  const env = { ...process.env, NODE_OPTIONS: '--max-old-space-size=256' }
  const child = spawn(process.execPath, [main, '--data-dir', dir, 'relay', 'run'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => void lines.push(line))
  const url = await until(() => lines.map((each) => /listening on (http:\S+)/.exec(each)?.[1]).find((each) => each !== undefined))
  const { hostname: host, port } = new URL(url)
  return { pid: child.pid as number, host, port: Number(port), dir, lines }
}

/** Speaks to a relay as the process of a gateway does. */
export const fakePuller = (url: string, key = relayKey, name: string = randomUUID()) => {
  const ask = (path: string, body: Buffer | string, more = {}): Promise<Response> =>
    fetch(`${url}/relay/v1/${path}`, {
      method: 'POST',
      body,
      headers: { connection: 'close', authorization: `Bearer ${key}`, 'x-relay-taker': name, ...more },
    })
  return {
    ask,
    name,
    /** Takes requests. `holds`: the numbers of the requests that this process has not answered. */
    async take(holds: readonly string[] = []): Promise<readonly WireFrame[]> {
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
