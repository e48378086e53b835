/** The index of a journal: whatever happens to the folder, it answers as the reading of the folder does. */

import { appendFileSync, mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { type EventCriteria, selectionOf } from '../../src/app/events/event-selection.ts'
import type { EventFilter } from '../../src/journal/fold-events.ts'
import { segmentName } from '../../src/journal/folder.ts'
import { indexedRecords } from '../../src/journal/index/indexed-records.ts'
import { folderRecords } from '../../src/journal/reader.ts'
import type { NewRecord } from '../../src/journal/record.ts'
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

/** Does steps to a folder, and says after each whether questions are to be asked now. */
function* play(folder: string, steps: readonly Step[]): Generator<boolean> {
  let segment = 1
  let second = -60
  const arrived: { readonly id: string; readonly route: string; readonly group: string | undefined }[] = []
  const file = (): string => join(folder, `${segmentName(segment)}.jsonl`)
  const add = (text: string): void => {
    appendFileSync(file(), text)
    // The reading of a folder goes by the times of its files.
    utimesSync(file(), startMs / 1_000, (startMs + second * 1_000) / 1_000)
  }
  const record = (line: NewRecord): void => add(`${JSON.stringify(line)}\n`)
  const arrive = (line: ReturnType<typeof received>): void => {
    arrived.push({ id: line.event_id, route: line.route, group: line.group })
    record(line)
  }
  for (const step of steps) {
    second++
    const id = idOf(arrived.length)
    const known = 'of' in step ? arrived[step.of] : undefined
    const of = known && { route: known.route, ...(known.group === undefined ? {} : { group: known.group }) }
    if (step.do === 'arrive') {
      const { route, outcome } = step
      arrive(received(id, second - step.late, { route, outcome, stage: outcome === 'ignored' ? 'filters' : 'dispatch' }))
    } else if (step.do === 'join') {
      const group = arrived[step.opener]?.group ?? id
      arrive(received(id, second, { route: 'a', outcome: 'coalesced', group }))
    } else if (step.do === 'endFirst') {
      record(ended(id, second, { route: 'b', duration_ms: 7 }))
      arrive(received(id, second, { route: 'b' }))
    } else if (step.do === 'damage') add('{"kind":"received", but no JSON\n')
    else if (step.do === 'half') {
      add(JSON.stringify(received(id, second)).slice(0, 90))
      yield true
      add(`${JSON.stringify(received(id, second)).slice(90)}\n`)
      arrived.push({ id, route: 'r', group: undefined })
    } else if (step.do === 'segment') segment++
    else if (step.do === 'deleteOldest') {
      const [oldest] = readdirSync(folder).sort()
      if (oldest !== undefined && join(folder, oldest) !== file()) rmSync(join(folder, oldest))
    } else if (step.do === 'ask') yield true
    else if (known && of) {
      if (step.do === 'try')
        record({ kind: 'tried', at: at(second), event_id: known.id, attempt: 1, error: 'e', next_at: at(second), duration_ms: 250 })
      else if (step.do === 'revive') record({ kind: 'revived', at: at(second), event_id: known.id })
      else if (step.do === 'endGroup' ? known.group !== undefined : known.group === undefined)
        record(
          ended(known.id, second, {
            ...of,
            state: step.do === 'die' ? 'dead' : 'done',
            usage: { steps: 1, input_tokens: 3, output_tokens: 4, cost: 0.5, tools: {} },
          }),
        )
    }
  }
  yield true
}

t.test('answers as without an index, whatever was added and deleted', async (t) => {
  let folders = 0
  const root = t.testdir()
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
        for (const isAsked of play(folder, steps)) {
          if (!isAsked) continue
          for (const each of [{}, ...asked]) {
            const filter = filterOf(each)
            const { skipped: _, ...expected } = await plain.events(filter)
            const { skipped: __, ...found } = await indexed.events(filter)
            // Without an index, segments that are older than a time are not read, and an event in them is not met.
            if (!expected.met && filter.since !== undefined) continue
            hits += found.events.length
            if (JSON.stringify(found) !== JSON.stringify(expected))
              throw new Error(
                `${JSON.stringify(each)}\n${found.events.map((e) => `${e.event_id} ${e.state}`)} ${found.truncated} ${found.met}\n${expected.events.map((e) => `${e.event_id} ${e.state}`)} ${expected.truncated} ${expected.met}`,
              )
          }
          for (const n of [0, 3, 9]) t.strictSame(await indexed.event(idOf(n)), await plain.event(idOf(n)))
        }
      },
    ),
    { numRuns: 200 },
  )
  t.ok(hits > 1_000, `${hits} events were chosen`)
})
