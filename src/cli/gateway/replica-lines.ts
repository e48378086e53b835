/** Writes the replicas (the gateways on a shared store): for people a line for each replica, for programs JSON. */

import type { JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { replicaName } from '../../datadir/replica-view.ts'
import type { Replica } from '../../generated/control.ts'
import { aligned } from '../shell/columns.ts'

/** Returns the lines, the oldest replica first. A star marks the replica that was asked. */
export const replicaLines = (replicas: readonly Replica[]): readonly string[] =>
  aligned(replicas.toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1)).map(cellsOf)).map((line) => `  ${line}\n`)

const cellsOf = (replica: Replica): readonly string[] =>
  [
    `${replica.self ? '*' : ' '} ${replicaName(replica)}`,
    replica.url,
    replica.version,
    `config ${replica.digest}`,
    `${replica.runs} runs, ${replica.requests} requests`,
    `since ${replica.started_at.slice(0, 19)}Z`,
    `seen ${replica.seen_seconds} s ago`,
    replica.stopping ? 'stopping' : replica.not_ready === null ? '' : `not ready: ${replica.not_ready}`,
  ].map((cell) => printable(cell))

export const replicaData = (replica: Replica): JsonObject => ({ ...replica, reload: replica.reload && { ...replica.reload } })
