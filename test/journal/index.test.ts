/** The index of a journal: whatever happens to the folder, it answers as the reading of the folder does. */

import { appendFileSync, mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { EventFilter } from '../../src/journal/fold-events.ts'
import { segmentName } from '../../src/journal/folder.ts'
import { indexedRecords } from '../../src/journal/index/indexed-records.ts'
import { folderRecords } from '../../src/journal/reader.ts'
import type { NewRecord } from '../../src/journal/record.ts'
import { type EventCriteria, selectionOf } from '../../src/operate/events/event-selection.ts'
import { newFolder } from '../fakes/folder.ts'
import { at, ended, received, startMs } from '../fakes/records.ts'

/** Something that a gateway, or somebody with the files, does to a journal. Events are numbered in the order of their arrival. */
type Step =
  | { readonly do: 'arrive'; readonly route: string; readonly outcome: 'accepted' | 'ignored'; readonly late: number }
  | { readonly do: 'join'; readonly opener: number }
  | { readonly do: 'try' | 'end' | 'die' | 'revive' | 'endGroup'; readonly of: number }
  | { readonly do: 'endFirst' | 'damage' | 'half' | 'segment' | 'deleteOldest' | 'ask' }

const of = fc.nat(30)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('arrive' as const),
      route: fc.constantFrom('a', 'b'),
      outcome: fc.constantFrom('accepted' as const, 'ignored' as const),
      late: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('join' as const), opener: of }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('try' as const, 'end' as const, 'die' as const, 'revive' as const, 'endGroup' as const),
      of,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'endFirst' as const,
        'damage' as const,
        'half' as const,
        'segment' as const,
        'deleteOldest' as const,
        'ask' as const,
      ),
    }),
  },
)

const criteria: fc.Arbitrary<EventCriteria & { readonly after?: number }> = fc.record(
  {
    route: fc.constantFrom('a', 'b', 'c'),
    outcome: fc.subarray(['accepted', 'ignored', 'ignored:filters', 'coalesced'], { minLength: 1 }),
    state: fc.subarray(['final', 'waiting', 'done', 'dead', 'merged'] as const, { minLength: 1 }),
    since: fc.integer({ min: -60, max: 0 }).map((second) => startMs + second * 1_000),
    until: fc.integer({ min: -60, max: 0 }).map((second) => startMs + second * 1_000),
    deliveryId: of.map((n) => `d-${idOf(n)}`),
    limit: fc.integer({ min: 1, max: 12 }),
    after: of,
  },
  { requiredKeys: [] },
)

const idOf = (n: number): string => `event-${String(n).padStart(4, '0')}`

const filterOf = ({ after, ...wanted }: EventCriteria & { readonly after?: number }): EventFilter => {
  const { fits, limit, since } = selectionOf(wanted, 100)
  return { fits, limit, ...(since === undefined ? {} : { since }), ...(after === undefined ? {} : { after: idOf(after) }) }
}

/** What a step does. Where questions are to be asked now, it returns what is to be done after them. */
type Doing = (step: Step) => (() => void) | undefined

type Arrived = { readonly id: string; readonly route: string; readonly group: string | undefined }

const usage = { steps: 1, input_tokens: 3, output_tokens: 4, cost: 0.5, tools: {} }

/** Makes what each step does to a folder. Each step takes a second. */
const createDoings = (folder: string): { readonly [name in Step['do']]: Doing } => {
  let segment = 1
  let second = -60
  const arrived: Arrived[] = []
  const file = (): string => join(folder, `${segmentName(segment)}.jsonl`)
  const add = (text: string): undefined => {
    appendFileSync(file(), text)
    // The reading of a folder goes by the times of its files.
    utimesSync(file(), startMs / 1_000, (startMs + second * 1_000) / 1_000)
  }
  const record = (line: NewRecord): undefined => add(`${JSON.stringify(line)}\n`)
  const arrive = (at: number, more: Partial<ReturnType<typeof received>>): undefined => {
    second++
    const line = received(idOf(arrived.length), at + second, more)
    arrived.push({ id: line.event_id, route: line.route, group: line.group })
    record(line)
  }
  const later =
    (line: (event: Arrived) => NewRecord | undefined): Doing =>
    (step) => {
      second++
      const event = 'of' in step ? arrived[step.of] : undefined
      const made = event && line(event)
      return made && record(made)
    }
  const end = ({ id, route, group }: Arrived, state: 'done' | 'dead'): NewRecord =>
    ended(id, second, { route, state, usage, ...(group === undefined ? {} : { group }) })
  return {
    arrive: (step) =>
      'late' in step
        ? arrive(-step.late, {
            route: step.route,
            outcome: step.outcome,
            stage: step.outcome === 'ignored' ? 'filters' : 'dispatch',
          })
        : undefined,
    join: (step) => {
      const group = ('opener' in step && arrived[step.opener]?.group) || idOf(arrived.length)
      return arrive(0, { route: 'a', outcome: 'coalesced', group })
    },
    try: later(({ id }) => ({
      kind: 'tried',
      at: at(second),
      event_id: id,
      attempt: 1,
      error: 'e',
      next_at: at(second),
      duration_ms: 250,
    })),
    revive: later(({ id }) => ({ kind: 'revived', at: at(second), event_id: id })),
    end: later((event) => (event.group === undefined ? end(event, 'done') : undefined)),
    die: later((event) => (event.group === undefined ? end(event, 'dead') : undefined)),
    endGroup: later((event) => (event.group === undefined ? undefined : end(event, 'done'))),
    endFirst: () => {
      record(ended(idOf(arrived.length), second, { route: 'b', duration_ms: 7 }))
      return arrive(0, { route: 'b' })
    },
    damage: () => add('{"kind":"received", but no JSON\n'),
    half: () => {
      const line = `${JSON.stringify(received(idOf(arrived.length), second))}\n`
      arrived.push({ id: idOf(arrived.length), route: 'r', group: undefined })
      add(line.slice(0, 90))
      return () => add(line.slice(90))
    },
    segment: () => {
      segment++
      return () => undefined
    },
    deleteOldest: () => {
      const [oldest] = readdirSync(folder).sort()
      if (oldest !== undefined && join(folder, oldest) !== file()) rmSync(join(folder, oldest))
      return () => undefined
    },
    ask: () => () => undefined,
  }
}

/** Does steps to a folder, and stops whenever questions are to be asked. */
function* play(folder: string, steps: readonly Step[]): Generator<void> {
  const doings = createDoings(folder)
  for (const step of steps) {
    const rest = doings[step.do](step)
    if (!rest) continue
    yield
    rest()
  }
  yield
}

/** Throws where both differ, so that fast-check looks for the smallest case. */
const requireSame = (about: string, found: unknown, expected: unknown): void => {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${about}\nfound ${a}\nexpected ${b}`)
}

t.test('answers as without an index, whatever was added and deleted', async (t) => {
  let folders = 0
  const root = newFolder(t)
  let hits = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 60 }),
      fc.array(criteria, { minLength: 4, maxLength: 4 }),
      fc.integer({ min: 1, max: 40 }),
      async (steps, asked, maxEvents) => {
        const folder = `${root}/${folders++}`
        mkdirSync(folder)
        const plain = folderRecords(folder)
        const indexed = indexedRecords(folder, { maxEvents })
        for (const _ of play(folder, steps)) {
          for (const each of [{}, ...asked]) {
            const filter = filterOf(each)
            const { skipped: _, ...expected } = await plain.events(filter)
            const { skipped: __, ...found } = await indexed.events(filter)
            // Without an index, segments that are older than a time are not read, and an event in them is not met.
            if (!expected.met && filter.since !== undefined) continue
            hits += found.events.length
            requireSame(JSON.stringify(each), found, expected)
          }
          for (const n of [0, 3, 9]) requireSame(`event ${n}`, await indexed.event(idOf(n)), await plain.event(idOf(n)))
        }
      },
    ),
    { numRuns: 60 },
  )
  t.ok(hits > 500, `${hits} events were chosen`)
})
