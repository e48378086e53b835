/** Reads from the files of the event journal, without the gateway's own reader, how many accepted events ended, and how. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalRecord, Received, RunEndedRecord, Started } from '../../src/journal/record.ts'

export type Journal = {
  readonly received: ReadonlyMap<string, Received>
  readonly started: ReadonlyMap<string, Started>
  /** The end of each event: its last record counts. */
  readonly ended: ReadonlyMap<string, RunEndedRecord>
  readonly lines: number
  /** The number of lines that a crash cut off. */
  readonly torn: number
}

export const readJournal = (dir: string): Journal => {
  const folder = join(dir, 'state', 'events')
  const received = new Map<string, Received>()
  const started = new Map<string, Started>()
  const ended = new Map<string, RunEndedRecord>()
  let [lines, torn] = [0, 0]
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  for (const line of files.sort().flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))) {
    if (line === '') continue
    lines++
    const entry = parse(line)
    if (!entry) torn++
    else if (entry.kind === 'received') received.set(entry.event_id, entry)
    else if (entry.kind === 'started') started.set(entry.event_id, entry)
    else if (entry.kind === 'ended') ended.set(entry.event_id, entry)
  }
  return { received, started, ended, lines, torn }
}

const parse = (line: string): JournalRecord | undefined => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

export type Sums = { readonly done: number; readonly merged: number; readonly dead: number; readonly deadRuns: readonly RunEndedRecord[] }

/** Returns how many runs of events are done, merged into another, or dead. Runs of a schedule are not counted. */
export const sumsOf = ({ ended }: Journal): Sums => {
  const runs = [...ended.values()].filter(({ event_type }) => event_type !== 'schedule')
  const deadRuns = runs.filter(({ state }) => state === 'dead')
  return {
    done: runs.length - deadRuns.length,
    merged: runs.reduce((sum, { count = 1 }) => sum + count - 1, 0),
    dead: deadRuns.length,
    deadRuns,
  }
}
