/** Runs a real gateway in this process, on a free loopback port and from a config file. The tests of the rules talk to it. */

import { createHmac, randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import type { Test } from 'tap'
import { stringify } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import { type Read, readingOf } from '../../src/config/thread/load-in-thread.ts'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Level } from '../../src/core/log.ts'
import { prepareGateway } from '../../src/gateway/compose.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { createLog } from '../../src/gateway/log.ts'
import type { Effects } from '../../src/parts/effects.ts'
import type { Catalogue } from '../../src/plan/compile.ts'
import { createRedactor } from '../../src/secrets/redact.ts'
import { newFolder } from './folder.ts'

export const secret = 'It is a secret to everybody'

type Tree = { readonly [key: string]: unknown }
export type Line = { readonly [name: string]: unknown; readonly msg: string; readonly level: string }
export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: Tree }
export type Post = {
  readonly headers?: { readonly [name: string]: string }
  readonly body?: unknown
  readonly sign?: boolean
  readonly path?: string
  readonly method?: string
}

export type TestGateway = {
  readonly url: string
  readonly port: number
  readonly dir: string
  /** The log lines so far. */
  readonly lines: Line[]
  /** Posts a body to a route, signed by the scheme v1 unless `sign` is false. */
  post(route: string, options?: Post): Promise<Answer>
  /** Sends bytes as they are. Resolves to what came back until the other side closed the connection or `ms` passed. */
  raw(bytes: string | Buffer, ms?: number): Promise<string>
  /** The operations that the command line calls. */
  readonly operations: Gateway['operations']
  /** Waits for a log line that fits. */
  line(fits: (line: Line) => boolean): Promise<Line>
  stop(ms?: number): Promise<void>
}

export type GatewayOptions = {
  readonly routes?: Tree
  /** Settings under `platforms.webhook.extra`. */
  readonly extra?: Tree
  /** Other top-level sections of the configuration. */
  readonly config?: Tree
  /** The wall time at which requests arrive, for signature windows. */
  readonly now?: () => number
  readonly clock?: Clock
  readonly dir?: string
  readonly files?: { readonly [path: string]: unknown }
  readonly level?: Level
  /** The parts of the gateway, where they are not the built-in ones. */
  readonly parts?: Catalogue
  readonly env?: { readonly [name: string]: string }
  /** The secrets that log and records replace. */
  readonly secrets?: readonly string[]
  /** How the keys of senders are fetched. */
  readonly download?: Effects['download']
}

const timeoutMs = 10_000

export const startGateway = async (t: Test, options: GatewayOptions): Promise<TestGateway> => {
  let gateway: Gateway | undefined
  const stop = async (ms = 2_000): Promise<void> => {
    const running = gateway
    gateway = undefined
    await running?.stop(ms)
  }
  t.teardown(() => stop(0))
  const settings = { secret, port: 0, rate_limit: 100_000, ...options.extra, routes: options.routes ?? {} }
  const config = { platforms: { webhook: { enabled: true, extra: settings } }, storage: { kind: 'memory' }, ...options.config }
  const dir = options.dir ?? newFolder(t, { 'config.yaml': stringify(config), ...options.files })
  const load = () => loadConfig({ dataDir: dir, env: options.env ?? {} })
  const loaded = load()
  const lines: Line[] = []
  const waiting = new Set<() => void>()
  const redact = createRedactor(options.secrets ?? [])
  const log = createLog({
    level: options.level ?? 'debug',
    format: 'json',
    redact,
    write: (line) => {
      lines.push(JSON.parse(line) as Line)
      for (const look of waiting) look()
    },
  })
  const clock: Clock = options.clock ?? { ...systemClock, now: options.now ?? systemClock.now }
  const read: Read = (_known, _signal, use) => use(readingOf(load()))
  const prepared = await prepareGateway(loaded.config, {
    log,
    clock,
    read,
    redact,
    ...(options.parts ? { parts: options.parts } : {}),
    ...(options.download ? { download: options.download } : {}),
  })
  const problems = [...loaded.diagnostics, ...prepared.diagnostics].filter(({ stopsStart }) => stopsStart)
  if (problems.length > 0) throw new Error(problems.map(({ code, message }) => `${code} ${message}`).join('; '))
  const started = await prepared.start()
  gateway = started
  const { url, operations } = started
  const port = Number(new URL(url).port)

  return {
    url,
    port,
    dir,
    lines,
    operations,
    stop,
    post: (route, post = {}) => send(url, route, post),
    raw: (bytes, ms = 3_000) => exchange(port, bytes, ms),
    line: (fits) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error('no such log line')), timeoutMs)
        const look = (): void => {
          const found = lines.find(fits)
          if (!found) return
          clearTimeout(late)
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
  }
}

/**
 * Returns how the last request ended, in the words of our own answers. Some routes shape their answers for their sender, and such an answer
 * does not say it.
 */
export const lastEnd = ({ lines }: Pick<TestGateway, 'lines'>): Tree => {
  const last: Line | undefined = lines.findLast(({ stage }) => stage !== undefined)
  return { status: last?.outcome, event: last?.event_type, delivery_id: last?.delivery_id }
}

/** Returns the bytes that the value of a body stands for. */
const bytesOf = (body: unknown): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body ?? {}))

export const hexHmac = (body: Buffer | string, key = secret): string => createHmac('sha256', key).update(body).digest('hex')

const send = async (url: string, route: string, { headers = {}, body, sign = true, path, method = 'POST' }: Post): Promise<Answer> => {
  const bytes = bytesOf(body)
  const response = await fetch(`${url}${path ?? `/webhooks/${route}`}`, {
    method,
    headers: { 'X-Request-ID': randomUUID(), ...(sign ? { 'X-Webhook-Signature': hexHmac(bytes) } : {}), ...headers },
    ...(method === 'GET' || method === 'HEAD' ? {} : { body: bytes }),
  })
  const text = await response.text()
  const json = text.startsWith('{') ? (JSON.parse(text) as Tree) : {}
  return { status: response.status, headers: response.headers, text, json }
}

const exchange = (port: number, bytes: string | Buffer, ms: number): Promise<string> =>
  new Promise((resolve) => {
    let seen = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const done = (): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(seen)
    }
    const timer = setTimeout(done, ms)
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1')
    })
    socket.on('end', done)
    socket.on('error', done)
  })
