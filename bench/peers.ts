/** The servers that are measured: how each is started, and what ours is configured to do. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Condition, Config, Route } from '../src/generated/config.ts'
import { works } from '../test/fakes/process.ts'
import { tools } from './machine.ts'
import { SECRET } from './payloads.ts'

export const peerNames = ['base', 'headgate', 'prototype', 'webhook', 'fastify'] as const
export type PeerName = (typeof peerNames)[number]

/** A command to start. `url` is there for a command that does not print its address. */
type Launch = { argv: string[]; env?: Record<string, string>; url?: string }
export type Launcher = (folder: string) => Launch | Promise<Launch>

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

export const base: Launcher = () => ({ argv: [process.execPath, fileURLToPath(import.meta.resolve('./base-server.mjs'))], env: { SECRET } })
export const fastify: Launcher = () => ({
  argv: [process.execPath, fileURLToPath(import.meta.resolve('./fastify-server.mjs'))],
  env: { SECRET },
})

/** The server with which ours is compared where it stores: it does the least that one process must do for that. */
export const prototype: Launcher = (folder) => ({
  argv: [process.execPath, fileURLToPath(import.meta.resolve('./durable-server.mjs'))],
  env: { SECRET, FOLDER: folder },
})

const SLOW_SYNC_US = 8_000
const SYNCS = 'fdatasync,fsync,sync_file_range'

export const noStrace = (): string | undefined => (works('strace', '-e', 'trace=none', 'true') ? undefined : 'needs strace')

/**
 * Returns the launcher of the same server on a disk that takes eight milliseconds longer for each sync. Other system calls are not stopped.
 */
export const slowed =
  (launch: Launcher): Launcher =>
  async (folder) => {
    const { argv, ...rest } = await launch(folder)
    const strace = ['strace', '-D', '-f', '--seccomp-bpf', '-o', '/dev/null']
    return { ...rest, argv: [...strace, '-e', `trace=${SYNCS}`, '-e', `inject=${SYNCS}:delay_exit=${SLOW_SYNC_US}`, ...argv] }
  }

/** Returns the launcher of the same server from another build. */
export const fromBuild =
  (launch: Launcher, other: string): Launcher =>
  async (folder) => {
    const { argv, ...rest } = await launch(folder)
    return { ...rest, argv: argv.map((word) => (word === main ? other : word)) }
  }

/** Returns the launcher of the same server with the plain forms of these names (src/node-internals/forms.ts). */
export const plainly =
  (launch: Launcher, names: string): Launcher =>
  async (folder) => {
    const { env, ...rest } = await launch(folder)
    return { ...rest, env: { ...env, HEADGATE_PLAIN: names } }
  }

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

const rule = (type: string, path: string, wanted: Record<string, string>): object => ({
  match: { type, ...wanted, parameter: { source: 'payload', name: path } },
})

/**
 * The work of our route, as adnanh/webhook is told it: the signature and three rules hold, a fourth never does, so no process is started.
 */
const hook = {
  id: 'bench',
  'execute-command': '/bin/true',
  'trigger-rule': {
    and: [
      { match: { type: 'payload-hmac-sha256', secret: SECRET, parameter: { source: 'header', name: 'X-Hub-Signature-256' } } },
      rule('value', 'repository.name', { value: 'Hello-World' }),
      rule('regex', 'repository.full_name', { regex: 'Codertocat/' }),
      rule('regex', 'sender.login', { regex: '^Coder(to|2)cat$' }),
      rule('value', 'sender.type', { value: 'Nobody' }),
    ],
  },
}

/** Launches adnanh/webhook, as the Debian package installs it. */
export const webhook: Launcher = async (folder) => {
  if (tools.webhook === undefined) throw new Error('adnanh/webhook is not installed')
  const file = join(folder, 'hooks.json')
  writeFileSync(file, JSON.stringify([hook]))
  const port = await freePort()
  const argv = [tools.webhook, '-hooks', file, '-ip', '127.0.0.1', '-port', String(port), '-urlprefix', 'webhooks']
  return { argv, env: { GOMAXPROCS: '1' }, url: `http://127.0.0.1:${port}` }
}

const passing: Condition[] = [
  { field: 'repository.name', equals: 'Hello-World' },
  { field: 'repository.full_name', contains: 'Codertocat/' },
  { field: 'sender.login', regex: '^Coder(to|2)cat$' },
]
const never: Condition = { field: 'sender.type', equals: 'Nobody' }

const prompt = `{event_type} {action} in {repository.full_name} by {sender.login}: #{number} "{pull_request.title}" {pull_request.html_url} {ref}`
const events = ['pull_request', 'push']

/** A route whose three conditions hold, so that the event is accepted. */
export const accepting: Route = { secret: SECRET, events, filters: passing, prompt, deliver: 'log' }
/** Returns a route with `count` conditions, of which only the last does not hold, so that the whole pipeline runs and nothing is stored. */
export const filtering = (count = passing.length + 1): Route => {
  const held = Array.from({ length: count - 1 }, (_, i) => passing[i % passing.length] ?? never)
  return { ...accepting, filters: [...held, never] }
}

/** A route without a condition, and with a short prompt. */
export const echoed: Route = { secret: SECRET, prompt: '{action} #{number}', deliver: 'log' }

/** Settings for one run at a time, which sleeps, so that accepting is measured and not the runs. */
const asleep: Partial<Config> = {
  gateway: { drain_seconds: 0, max_concurrent_runs: 1, max_queued_runs: 10_000_000 },
  agent: { runner: 'command', command: ['sleep', '100000'] },
}
/** Returns settings for so many runs at a time, which answer at once. */
export const awake = (runs: number): Partial<Config> => ({
  gateway: { drain_seconds: 0, max_concurrent_runs: runs, max_queued_runs: 10_000_000 },
  agent: { runner: 'echo' },
})

/** The database schema that a gateway uses as its shared store. */
export type SharedStore = { readonly kind: 'postgres'; readonly url: string; readonly schema: string }
type Extra = { rate_limit?: number; public_url?: string }

/** Returns the launcher of our server. The folder may hold the data of its last life. `extra`: settings of the adapter. */
export const headgate =
  (routes: () => Record<string, Route>, store: 'memory' | 'sqlite' | SharedStore, runs = asleep, extra: Extra = {}): Launcher =>
  (folder) => {
    if (!existsSync(main)) throw new Error('it is not built: npm run build')
    const data = join(folder, 'data')
    mkdirSync(data, { recursive: true })
    const config: Config = {
      platforms: { webhook: { enabled: true, extra: { rate_limit: 1_000_000_000, ...extra, routes: routes() } } },
      ...runs,
      storage: { ...(typeof store === 'string' ? { kind: store } : store), durability: 'fsync' },
    }
    // JSON is YAML too.
    writeFileSync(join(data, 'config.yaml'), JSON.stringify(config))
    return { argv: [process.execPath, main, 'gateway', 'run', '--data-dir', data, '--port', '0'], env: { HOME: folder } }
  }
