/**
 * The four links of a store, each with a connection of its own: for claims and what they enqueue; for the work on runs, with heartbeats and
 * rate limits; for calls that may take longer; and for the records of events, which no answer to a sender waits for.
 */

import { type Clock, pause } from '../../core/clock.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { Claimed } from '../ports.ts'
import type { StoreOptions } from '../store-part.ts'
import { type CallKind, list } from './call-kind.ts'
import { besideKind } from './calls/beside-calls.ts'
import { type ClaimCall, type ClaimFields, claimKind, freeClaims, type TakenAtOnce } from './calls/claim-calls.ts'
import { freeLeases, type TakenRun } from './calls/run-calls.ts'
import { connect, type DatabaseConnection } from './connection.ts'
import { DueRuns } from './due-runs.ts'
import { checkDurability } from './durability.ts'
import { CallMarks } from './keys.ts'
import { DatabaseLink } from './link/database-link.ts'
import { checkReadable, checkState, migrate, openingFault } from './migration.ts'
import { MovedClaims, readMovedClaimsLeft } from './moving/moved-claims.ts'

export type PostgresOptions = Pick<StoreOptions, 'committed'> & {
  /** Returns the address of the database. It is asked for each connection. */
  readonly url: () => string
  readonly schema: string
  readonly durability: 'fsync' | 'commit'
  /** The clock of this process. All durations that are stored are counted by the clock of the server. */
  readonly clock: Clock
  /** Returns the longest time that a worker waits before it asks for runs again. */
  readonly pollEveryMs?: () => number
}

export type Links = {
  readonly claims: DatabaseLink
  readonly work: DatabaseLink
  readonly slow: DatabaseLink
  readonly records: DatabaseLink
  readonly claimKind: CallKind<ClaimCall, Claimed | TakenAtOnce>
  readonly besideKind: ReturnType<typeof besideKind>
  readonly movedClaims: MovedClaims
  readonly marks: CallMarks
  /** The runs that this process has taken and not finished. */
  readonly taken: Map<string, TakenRun>
  readonly due: DueRuns
  /** A warning about the server, for the operator. */
  readonly warning: string | undefined
  recovered(): Promise<void>
  close(): Promise<void>
}

const firstConnectMs = 10_000
/** How long callers wait after a fault when all connections are open. */
const pauseMs = 500
/** The most claims of unknown outcome that are remembered. */
const maxDoubtful = 10_000

/**
 * Makes the tables or brings them up to date, and opens the links. Only the link for claims connects here; each other link connects at its
 * first call. Throws a Fault.
 */
export const openLinks = async (options: PostgresOptions): Promise<Links> => {
  const { schema, clock } = options
  const marks = new CallMarks()
  const taken = new Map<string, TakenRun>()
  const due = new DueRuns(clock)
  // Each of the two connections that take runs has an owner of its own, because a new connection must not free runs that are being taken on
  // the other.
  const aheadOwner = -marks.owner
  const freeUnknown = async (connection: DatabaseConnection, owner: bigint): Promise<void> => {
    await connection.query(freeLeases, [String(owner), list([...taken.keys()])])
    due.changed()
  }
  const doubtful: ClaimFields[] = []
  const greetClaims = async (connection: DatabaseConnection): Promise<void> => {
    await checkReadable(connection, schema)
    const freed = doubtful.slice()
    if (freed.length > 0) await connection.query(freeClaims, [list(freed.map(({ key }) => key)), list(freed.map(({ mark }) => mark))])
    doubtful.splice(0, freed.length)
    await freeUnknown(connection, aheadOwner)
  }
  const greetWork = async (connection: DatabaseConnection): Promise<void> => {
    await checkReadable(connection, schema)
    await freeUnknown(connection, marks.owner)
  }
  // `committed` is called only for the links with claims and runs: it measures how long events and runs wait for the database.
  const committed = options.committed ? { committed: options.committed } : {}
  const greet = (connection: DatabaseConnection): Promise<void> => checkReadable(connection, schema)
  const linkOf = (byIndex: boolean, greet: (connection: DatabaseConnection) => Promise<void>, opened?: DatabaseConnection): DatabaseLink =>
    new DatabaseLink({ clock, connect: () => connect({ ...options, byIndex }), greet, ...committed }, opened)
  const { connection, warning } = await openFirst(options)
  const claims = linkOf(true, greetClaims, connection)
  const movedClaims = new MovedClaims(claims, clock, await readMovedClaimsLeft(connection))
  const work = linkOf(true, greetWork)
  const slow = new DatabaseLink({ clock, connect: () => connect({ ...options, byIndex: false }), greet })
  // Records need no `fsync`: a crash of the server may take the records of the last moments, as it may in the folder of a sole store.
  const records = new DatabaseLink({ clock, connect: () => connect({ ...options, durability: 'commit', byIndex: true }), greet })
  const all = [claims, work, slow]
  const doubt = (calls: readonly ClaimFields[]): void => void doubtful.push(...calls.slice(0, maxDoubtful - doubtful.length))
  return {
    claims,
    work,
    slow,
    records,
    claimKind: claimKind(aheadOwner, doubt),
    besideKind: besideKind(doubt),
    movedClaims,
    marks,
    taken,
    due,
    warning,
    async recovered() {
      if (all.every(({ isUp }) => isUp)) await pause(pauseMs, clock)
      await Promise.all(all.map((link) => link.recovered()))
    },
    close: async () => void (await Promise.all([...all, records].map((link) => link.close()))),
  }
}

type First = { readonly connection: DatabaseConnection; readonly warning: string | undefined }

/** Opens the first connection, and makes the schema ready on it. Throws a Fault. */
const openFirst = async (options: PostgresOptions): Promise<First> => {
  // The name of the schema is written into statements without quotes.
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(options.schema)) {
    throw new Fault('store_schema', `the schema ${JSON.stringify(options.schema)} has no plain name`, {
      exitCode: exit.config,
      hint: 'use lower-case letters, digits and _ only',
    })
  }
  let connection: DatabaseConnection | undefined
  try {
    connection = await connect({ ...options, byIndex: true, connectMs: firstConnectMs })
    await migrate(connection, options.schema)
    await checkState(connection, options.schema)
    return { connection, warning: await checkDurability(connection, options.durability) }
  } catch (error) {
    connection?.drop()
    throw openingFault(error)
  }
}
