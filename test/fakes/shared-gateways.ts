/** Gateways and commands in several data directories on one schema of a database. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { parse, stringify } from 'yaml'
import { connect } from '../../src/store/postgres/connection.ts'
import { newFolder } from './folder.ts'
import type { PostgresServer } from './postgres-server.ts'
import { command, type ProcessGateway } from './process-gateway.ts'
import { until } from './wait.ts'

const subscriptions = 'webhook_subscriptions.json'
/**
 * All gateways serve an entry within two seconds after a command has made the entry in one data directory. A busy machine may need longer.
 */
const servedMs = 5_000
export const key = 'a secret of nobody'

/** Options of `webhook subscribe`. The pushes that `answers` posts are ignored with 200, so that no work is left. */
export const routeOptions = ['--prompt', 'hi', '--events', 'release', '--secret', key]
/** The entry of a route that `routeOptions` make. */
export const routeEntry = { prompt: 'hi', events: ['release'], secret: key }

export const entriesOf = (dir: string, file = subscriptions): { readonly [name: string]: { readonly [key: string]: unknown } } =>
  existsSync(join(dir, file)) ? JSON.parse(readFileSync(join(dir, file), 'utf8')) : {}
export const writeEntries = (dir: string, entries: object): void => writeFileSync(join(dir, subscriptions), JSON.stringify(entries))

/** Waits for a line of a gateway's log. */
export const said = ({ lines }: ProcessGateway, words: RegExp): Promise<string> =>
  until(() => lines.find(({ msg }) => words.test(msg))?.msg)

/** Runs a command that succeeds, and returns what it prints. */
export const ok = (t: Test, dir: string, ...args: string[]): string => {
  const { status, stdout, stderr } = command({ dir }, ...args)
  t.equal(status, 0, `${args.slice(0, 3).join(' ')}: ${stderr}`)
  return stdout
}

/** Posts to a route until the gateway answers with this status. Fails when the wait is longer than `servedMs`. */
export const answers = async (t: Test, gateway: ProcessGateway, name: string, status: number, secret = key): Promise<void> => {
  const began = Date.now()
  // A post may fail: while this process waited for a command, the gateway may have closed an idle connection.
  const post = () => gateway.post(name, `${name}-${Date.now()}`, { key: secret }).catch(() => undefined)
  await until(async () => (await post())?.status === status)
  t.ok(Date.now() - began < servedMs, `${name} answers ${status} after ${Date.now() - began} ms`)
}

/** Further settings of `config.yaml`. `adapter`: below `platforms.webhook.extra`. `durability`: of the storage. */
type Settings = {
  readonly adapter?: object
  readonly agent?: object
  readonly relay?: object
  readonly durability?: 'commit' | 'fsync'
}

/** Puts the clock of the store of a data directory's gateway forward, by so many seconds before the real time. */
export const putForward = async (t: Test, dir: string, seconds: number): Promise<void> => {
  const { url, schema } = parse(readFileSync(join(dir, 'config.yaml'), 'utf8')).storage
  const connection = await connect({ url: () => url, schema, durability: 'commit', byIndex: false })
  t.teardown(() => connection.end())
  await connection.run(
    `create or replace function clock() returns timestamptz language sql stable as $$ select now() + interval '${seconds} s' $$`,
  )
}

/** Makes data directories on a new schema of the database. */
export const sharedDirectories = (t: Test, server: PostgresServer, count: number, settings: Settings = {}): string[] => {
  // A server of tests may run without fsync, and `durability: fsync` refuses such a server.
  const { adapter = {}, durability = 'commit', ...more } = settings
  const home = newFolder(t)
  const webhook = { enabled: true, extra: { port: 0, rate_limit: 100_000, ...adapter } }
  const storage = { kind: 'postgres', url: server.url, schema: server.newSchema(), durability }
  const config = stringify({ platforms: { webhook }, storage, ...more })
  return Array.from({ length: count }, (_, i) => {
    const dir = join(home, 'abc'.charAt(i))
    mkdirSync(dir, { mode: 0o700 })
    writeFileSync(join(dir, 'config.yaml'), config)
    return dir
  })
}
