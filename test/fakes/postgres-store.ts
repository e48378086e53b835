/** Stores on a PostgreSQL server, each in a schema whose time passes as a test's clock does. */

import { type Clock, systemClock } from '../../src/core/clock.ts'
import { connect, type DatabaseConnection } from '../../src/store/postgres/connection.ts'
import type { PostgresOptions } from '../../src/store/postgres/links.ts'
import { openPostgres } from '../../src/store/postgres/postgres-store.ts'
import type { OpenStore, StorePart } from '../../src/store/store-part.ts'
import type { PostgresServer } from './postgres-server.ts'

const testClock = `
  create table test_clock (at timestamptz not null);
  insert into test_clock values (now());
  create or replace function clock() returns timestamptz language sql stable as 'select at from test_clock'`
const emptied = 'truncate claims, runs, lanes, groups, plans, sessions, messages, sums, record_batches, records restart identity'

type TestSchema = { readonly options: PostgresOptions; readonly connection: DatabaseConnection }

const makeSchema = async (server: PostgresServer, pollEveryMs: number): Promise<TestSchema> => {
  const options = {
    url: () => server.url,
    schema: server.newSchema(),
    durability: 'commit' as const,
    clock: systemClock,
    pollEveryMs: () => pollEveryMs,
  }
  await (await openPostgres(options)).close()
  const connection = await connect({ ...options, byIndex: false })
  await connection.run(testClock)
  return { options, connection }
}

/** Moves the time of a schema when a test has moved its clock. */
class ServerTime {
  readonly #clock: Clock
  readonly #connection: DatabaseConnection
  #shown: number | undefined
  #moving: Promise<void> | undefined

  constructor(clock: Clock, connection: DatabaseConnection) {
    this.#clock = clock
    this.#connection = connection
  }

  /** Resolves when the server shows the time of the test; `undefined` when it shows that time already. */
  move(): Promise<void> | undefined {
    const now = this.#clock.monotonic()
    if (now === this.#shown) return this.#moving
    this.#shown = now
    const text = 'update test_clock set at = to_timestamp($1::float8 / 1000)'
    const moving = this.#connection.query({ name: 'move', text }, [now]).then(() => {
      if (this.#moving === moving) this.#moving = undefined
    })
    this.#moving = moving
    return moving
  }
}

/** Before each call the server's time is moved. Calls of one turn stay together, and in their order. */
const following = (store: OpenStore, time: ServerTime): OpenStore =>
  new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      if (name === 'hasRoom') return method.bind(target)
      return (...args: unknown[]): unknown => {
        const moving = time.move()
        return moving === undefined ? method.apply(target, args) : moving.then(() => method.apply(target, args))
      }
    },
  })

type PostgresPart = StorePart & { close(): Promise<void> }

/** `make`: makes a part. `end`: ends the connections to the schemas of all parts that are closed. */
type PostgresParts = { readonly make: (clock: Clock) => PostgresPart; readonly end: () => Promise<void> }

/**
 * Makes parts, each with a schema of its own, and each `open` of a part is one more process on its schema. A part that is closed leaves its
 * schema to a later one, because making a schema takes long.
 */
export const postgresParts = (server: PostgresServer, pollEveryMs: number): PostgresParts => {
  const spare: TestSchema[] = []
  const make = (clock: Clock): PostgresPart => {
    let schema: Promise<TestSchema> | undefined
    let time: ServerTime | undefined
    return {
      name: 'postgres',
      title: 'A schema of a PostgreSQL server',
      ownership: 'shared',
      isLasting: true,
      async open() {
        const known = spare.pop()
        schema ??= known ? Promise.resolve(known) : makeSchema(server, pollEveryMs)
        const { options, connection } = await schema
        time ??= new ServerTime(clock, connection)
        // Time passes for the process as it does for the server. Its timers are real, because the server answers in real time.
        const ownClock: Clock = { ...systemClock, monotonic: () => clock.monotonic() }
        return following(await openPostgres({ ...options, clock: ownClock }), time)
      },
      async close() {
        const made = await schema
        if (made === undefined) return
        await time?.move()
        await made.connection.run(emptied)
        spare.push(made)
      },
    }
  }
  return { make, end: async () => void (await Promise.all(spare.map(({ connection }) => connection.end()))) }
}
