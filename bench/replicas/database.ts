/** Reads and prepares the contents of the shared database without the gateway's store. */

import { connect, type DatabaseConnection } from '../../src/store/postgres/connection.ts'

type DeadRun = { readonly deliveryId: string; readonly job: string | undefined; readonly error: string }

export type Held = {
  /** Runs that are neither done nor dead. */
  readonly runs: number
  /** The delivery ids of the first twenty of these runs. */
  readonly unfinished: readonly string[]
  readonly groups: number
  /** Turns of lanes that runs have taken and not given back. */
  readonly lanes: number
  readonly dead: readonly DeadRun[]
  /** The messages of all sessions. Each turn has two messages: the prompt, and the reply. */
  readonly messages: number
}

const counts = `select (select count(*) from runs where ended_at is null)::int, (select count(*) from groups where events > 0)::int,
  (select coalesce(sum(open), 0) from lanes)::int, (select count(*) from messages)::int`
const unfinishedRuns = 'select run from runs where ended_at is null order by id limit 20'
const deadRuns = `select run, coalesce(error, '""') from runs where ended_at is not null`

/** How long a server on a machine without a free processor may take to answer. */
const timeoutMs = 30_000

const connectTo = (url: string, schema: string, statementMs = timeoutMs): Promise<DatabaseConnection> =>
  connect({ url: () => url, schema, durability: 'commit', byIndex: false, connectMs: timeoutMs, statementMs })

/** Returns the contents of the schema now. Throws when the server does not answer. */
export const heldIn = async (url: string, schema: string): Promise<Held> => {
  const connection = await connectTo(url, schema)
  try {
    const [[runs, groups, lanes, messages] = []] = await connection.query({ name: 'counts', text: counts }, [])
    const dead = await connection.query({ name: 'dead_runs', text: deadRuns }, [])
    const unfinished = await connection.query({ name: 'unfinished_runs', text: unfinishedRuns }, [])
    return {
      runs: Number(runs),
      unfinished: unfinished.map(([run]) => runOf(String(run), '').deliveryId),
      groups: Number(groups),
      lanes: Number(lanes),
      messages: Number(messages),
      dead: dead.map(([run, error]) => runOf(String(run), JSON.parse(String(error)))),
    }
  } finally {
    await connection.end()
  }
}

/** Whether this build has shared entries: the schema then has a table of entries. */
export const sharesEntries = async (url: string, schema: string): Promise<boolean> => {
  const connection = await connectTo(url, schema)
  const [[name] = []] = await connection.query({ name: 'entries', text: `select to_regclass('entries')::text` }, [])
  await connection.end()
  return name !== null
}

/** How long a statement that fills tables may take. */
const fillMs = 1_800_000

/** Runs statements one after another in the schema. */
export const execute = async (url: string, schema: string, statements: readonly string[]): Promise<void> => {
  const connection = await connectTo(url, schema, fillMs)
  for (const [n, text] of statements.entries()) await connection.query({ name: `statement_${n}`, text }, [])
  await connection.end()
}

/** Begins a transaction that sees the database as it is now. The returned function ends it. */
export const holdSnapshot = async (url: string, schema: string): Promise<() => Promise<void>> => {
  const connection = await connectTo(url, schema)
  await connection.query({ name: 'begin', text: 'begin isolation level repeatable read' }, [])
  await connection.query({ name: 'see', text: 'select count(*) from runs' }, [])
  return () => connection.end()
}

const runOf = (run: string, error: string): DeadRun => {
  const { deliveryId, job }: { deliveryId: string; job?: string } = JSON.parse(run)
  return { deliveryId, job, error }
}
