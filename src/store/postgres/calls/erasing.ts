/** Erases events from the shared store: what sessions have of them, their groups, and their runs. Each call is bounded and repeatable. */

import type { NewRun } from '../../../core/new-run.ts'
import { isEventId } from '../../bounds.ts'
import type { Erased, ErasedRun, Erasure } from '../../store-part.ts'
import { erasedRun, isRunToErase, parseStored } from '../../stored.ts'
import { keyOf } from '../keys.ts'
import type { DatabaseLink } from '../link/database-link.ts'
import {
  deleteErasedKind,
  endErasedGroupsKind,
  endErasedRunsKind,
  eraseTurnsKind,
  idsAtOnce,
  runsOfEventsKind,
  runsOfGroupsKind,
  type StoredRun,
} from './erase-calls.ts'

/** As `OpenStore.erase`. */
export const eraseOver = async (link: DatabaseLink, erasure: Erasure): Promise<Erased> => {
  const of = { ids: erasure.ids.filter(isEventId), groups: erasure.groups.filter(isEventId) }
  await eraseTurns(link, of.ids.map(keyOf))
  // The groups of the events are ended before their runs are searched for. So a group whose window closes in between is found as a run.
  await link.call(endErasedGroupsKind, of)
  const found = await runsToErase(link, of)
  const runs: ErasedRun[] = []
  const running: string[] = []
  for (const ids of chunksOf([...found.keys()], idsAtOnce)) {
    const ended = await link.call(endErasedRunsKind, ids)
    const idle = ended.filter(({ state }) => state !== 'running').map(({ id }) => id)
    const revived = new Set(await link.call(deleteErasedKind, idle))
    for (const { id, state, attempts } of ended) {
      const run = found.get(id)
      if (run === undefined) continue
      if (state === 'running' || revived.has(id)) running.push(run.eventId)
      else runs.push(erasedRun(run, state === 'ended' ? attempts : undefined))
    }
  }
  return { runs, running }
}

const firstKey = '00000000-0000-0000-0000-000000000000'

const eraseTurns = async (link: DatabaseLink, turns: readonly string[]): Promise<void> => {
  for (let after: string | undefined = firstKey; after !== undefined; ) after = await link.call(eraseTurnsKind, { after, turns })
}

/** Finds the runs by their ids. `undefined`: the run of an erased event, whose text cannot be read. */
const runsToErase = async (link: DatabaseLink, of: Erasure): Promise<ReadonlyMap<string, NewRun | undefined>> => {
  const sets = { ids: new Set(of.ids), groups: new Set(of.groups) }
  const found = new Map<string, NewRun | undefined>()
  const runOf = ({ run }: StoredRun): NewRun | undefined => parseStored(run, null)?.run
  for (const ids of chunksOf(of.ids, idsAtOnce))
    for (const stored of await link.call(runsOfEventsKind, ids)) found.set(stored.id, runOf(stored))
  for (let after: string | undefined = '0'; after !== undefined; ) {
    const { runs, next }: { readonly runs: readonly StoredRun[]; readonly next: string | undefined } = await link.call(runsOfGroupsKind, {
      after,
      groups: of.groups,
    })
    for (const stored of runs) {
      const run = runOf(stored)
      if (run && isRunToErase(run, sets)) found.set(stored.id, run)
    }
    after = next
  }
  return found
}

const chunksOf = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
