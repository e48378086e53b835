/** Schedules: what is one and what is not, and what they do where the clocks change: no time lost, none twice, no loop. */

import fc from 'fast-check'
import t from 'tap'
import { BadSchedule, compileSchedule, zonedIso } from '../../src/expr/schedule.ts'

/** The next times after `from`, as the zone reads them. */
const times = (text: string, zone: string, from: string, count: number): string[] => {
  const { next } = compileSchedule(text, zone)
  const found: string[] = []
  for (let at = next(Date.parse(from)); at !== undefined && found.length < count; at = next(at)) found.push(zonedIso(at, zone))
  return found
}

const why = (text: string, zone?: string): string => {
  try {
    compileSchedule(text, zone)
  } catch (error) {
    if (error instanceof BadSchedule) return error.message
    throw error
  }
  throw new Error(`${text} is a schedule`)
}

t.test('cron expressions, with the days and names that croner knows', async (t) => {
  const good: [text: string, first: string][] = [
    ['0 6 * * *', '2027-01-01T06:00:00Z'],
    ['30 0 6 * * *', '2027-01-01T06:00:30Z'],
    ['*/15 * * * *', '2027-01-01T00:15:00Z'],
    ['0/15 * * * *', '2027-01-01T00:15:00Z'],
    ['50/5 * * * *', '2027-01-01T00:50:00Z'],
    ['0 8/4 * * *', '2027-01-01T08:00:00Z'],
    ['0 9 * * MON-FRI', '2027-01-01T09:00:00Z'],
    ['0 0 L * *', '2027-01-31T00:00:00Z'],
    ['0 0 * * FRI#2', '2027-01-08T00:00:00Z'],
    ['0 0 * * FRIL', '2027-01-29T00:00:00Z'],
    ['0 0 1 JAN,JUL *', '2027-07-01T00:00:00Z'],
    ['0 0 29 2 *', '2028-02-29T00:00:00Z'],
    ['@daily', '2027-01-02T00:00:00Z'],
    ['@HOURLY', '2027-01-01T01:00:00Z'],
    ['  0  6 * * *  ', '2027-01-01T06:00:00Z'],
  ]
  for (const [text, first] of good) t.same(times(text, 'UTC', '2027-01-01T00:00:00Z', 1), [first], text)
  t.same(times('0 6 * * *', 'Asia/Kolkata', '2027-01-01T00:00:00Z', 1), ['2027-01-01T06:00:00+05:30'])
})

t.test('what is not a schedule is refused with a sentence', async (t) => {
  const bad: [text: string, says: RegExp][] = [
    ['', /five fields/],
    ['0 6 * *', /five fields/],
    ['0 0 6 * * * 2027', /five fields, or six/],
    ['60 * * * *', /minute: 60/],
    ['a b c d e', /not a cron expression/],
    ['5/0 * * * *', /not a cron expression/],
    ['@reboot', /not known/],
    ['@fortnightly', /not known/],
    ['0 0 30 2 *', /never comes/],
    ['0 0 31 4,6,9,11 *', /never comes/],
    ['0 0 29 2 +MON#1', /never comes/],
    ['every 0s', /at least one second/],
    ['every 400d', /366 days/],
    ['every fortnight', /every 15m/],
    ['2027-02-30T09:00', /not a date/],
    ['2027-01-31T24:00', /not a date/],
    ['2027-01-31T09:00+99:00', /not a date/],
    [`${'1,'.repeat(200)}1 * * * *`, /longer than/],
  ]
  for (const [text, says] of bad) t.match(why(text), says, text)
  for (const zone of ['Mars/Phobos', '+01:00', '', 'Europe/Berlin\u0000', 'x'.repeat(1000)]) {
    const said = why('0 6 * * *', zone)
    t.match(said, /not a time zone/, JSON.stringify(zone.slice(0, 20)))
    t.ok(said.length < 200)
  }
  t.match(why('every 15m', 'Mars/Phobos'), /not a time zone/, 'also where it does not matter')
})

t.test('an interval counts from 1970, so that a restart does not move it', async (t) => {
  t.same(times('every 15m', 'Europe/Berlin', '2027-03-28T00:50:01Z', 3), [
    '2027-03-28T03:00:00+02:00',
    '2027-03-28T03:15:00+02:00',
    '2027-03-28T03:30:00+02:00',
  ])
  const { next } = compileSchedule('Every 7 h')
  const first = next(0)
  t.equal(first, 7 * 3_600_000)
  t.equal(next((first as number) - 1), first)
  t.equal(next(first as number), 14 * 3_600_000, 'strictly later')
})

t.test('one time: with an offset, or in the zone', async (t) => {
  t.same(times('2027-01-31T09:00', 'Europe/Berlin', '2027-01-01T00:00:00Z', 9), ['2027-01-31T09:00:00+01:00'], 'once')
  t.same(times('2027-01-31T09:00:00+05:30', 'UTC', '2027-01-01T00:00:00Z', 9), ['2027-01-31T03:30:00Z'])
  t.same(times('2027-01-31 09:00:30z', 'Europe/Berlin', '2027-01-01T00:00:00Z', 9), ['2027-01-31T10:00:30+01:00'])
  t.same(times('2027-01-31T09:00', 'UTC', '2027-01-31T09:00:00Z', 1), [], 'strictly later')
  t.same(times('2027-03-28T02:30', 'Europe/Berlin', '2027-01-01T00:00:00Z', 9), ['2027-03-28T03:00:00+02:00'], 'skipped: after the gap')
  t.same(times('2027-10-31T02:30', 'Europe/Berlin', '2027-01-01T00:00:00Z', 9), ['2027-10-31T02:30:00+02:00'], 'twice: the first')
})

// Each: a time of day in the gap or the overlap, and what a daily job does on the days around.
const changes: [title: string, text: string, zone: string, from: string, expected: string[]][] = [
  [
    'a gap in Berlin: once, after it',
    '30 2 * * *',
    'Europe/Berlin',
    '2027-03-27T12:00:00Z',
    ['2027-03-28T03:00:00+02:00', '2027-03-29T02:30:00+02:00'],
  ],
  [
    'an overlap in Berlin: once, the first',
    '30 2 * * *',
    'Europe/Berlin',
    '2027-10-30T12:00:00Z',
    ['2027-10-31T02:30:00+02:00', '2027-11-01T02:30:00+01:00'],
  ],
  [
    'a gap in New York',
    '30 2 * * *',
    'America/New_York',
    '2027-03-13T12:00:00Z',
    ['2027-03-14T03:00:00-04:00', '2027-03-15T02:30:00-04:00'],
  ],
  [
    'an overlap in New York',
    '30 1 * * *',
    'America/New_York',
    '2027-11-06T12:00:00Z',
    ['2027-11-07T01:30:00-04:00', '2027-11-08T01:30:00-05:00'],
  ],
  [
    'half an hour of gap on Lord Howe',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2027-10-02T00:00:00Z',
    ['2027-10-03T02:30:00+11:00', '2027-10-04T02:15:00+11:00'],
  ],
  [
    'half an hour twice on Lord Howe',
    '45 1 * * *',
    'Australia/Lord_Howe',
    '2027-04-03T00:00:00Z',
    ['2027-04-04T01:45:00+11:00', '2027-04-05T01:45:00+10:30'],
  ],
  [
    'a list of hours loses none in a gap',
    '30 2,14 * * *',
    'Europe/Berlin',
    '2027-03-27T14:00:00Z',
    ['2027-03-28T03:00:00+02:00', '2027-03-28T14:30:00+02:00'],
  ],
  [
    'two times that meet after the gap are one',
    '0 2,3 * * *',
    'Europe/Berlin',
    '2027-03-27T12:00:00Z',
    ['2027-03-28T03:00:00+02:00', '2027-03-29T02:00:00+02:00'],
  ],
  ['midnight that does not exist', '0 0 * * *', 'America/Sao_Paulo', '2018-11-03T12:00:00Z', ['2018-11-04T01:00:00-02:00']],
]
for (const [title, text, zone, from, expected] of changes) {
  t.test(title, async (t) => t.same(times(text, zone, from, expected.length), expected))
}

t.test('patterns of every hour or quarter follow the time that passes, over both changes', async (t) => {
  const days: [zone: string, from: string][] = [
    ['Europe/Berlin', '2027-03-27T22:00:00Z'],
    ['Europe/Berlin', '2027-10-30T22:00:00Z'],
    ['America/New_York', '2027-03-14T04:00:00Z'],
    ['America/New_York', '2027-11-07T03:00:00Z'],
    ['Australia/Lord_Howe', '2027-10-02T12:00:00Z'],
    ['Australia/Lord_Howe', '2027-04-03T12:00:00Z'],
  ]
  for (const [zone, from] of days) {
    const { next } = compileSchedule('*/15 * * * *', zone)
    let at = Date.parse(from)
    for (let i = 1; i <= 40; i++) {
      at = next(at) ?? Number.NaN
      t.equal(at, Date.parse(from) + i * 900_000, `${zone} ${from} quarter ${i}`)
    }
    const hours = times('0 * * * *', zone, from, 8).map((text) => Date.parse(text))
    t.same(hours, [...new Set(hours)].sort(), `${zone} ${from}: no hour twice, none back`)
    // Half an hour is skipped or comes twice on Lord Howe: its full hours are not an hour apart there.
    if (zone !== 'Australia/Lord_Howe')
      t.equal((hours[7] as number) - (hours[0] as number), 7 * 3_600_000, `${zone} ${from}: each hour once`)
  }
})

t.test('the next time is always strictly later, whatever the text', async () => {
  const field = fc.constantFrom('*', '0', '1', '2', '30', '*/5', '*/7', '1-3', '2,3', 'L', 'MON', '31')
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Antarctica/Troll', 'Asia/Tehran')
  const texts = fc.oneof(
    fc.array(field, { minLength: 5, maxLength: 6 }).map((fields) => fields.join(' ')),
    fc.string({ maxLength: 30 }),
  )
  const start = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2029, 0) })
  fc.assert(
    fc.property(texts, zone, start, (text, where, from) => {
      let next: (after: number) => number | undefined
      try {
        next = compileSchedule(text, where).next
      } catch (error) {
        return error instanceof BadSchedule
      }
      let at = from
      for (let i = 0; i < 5; i++) {
        const later = next(at)
        if (later === undefined) return true
        if (!(later > at) || later % 1000 !== 0) return false
        at = later
      }
      return true
    }),
    { numRuns: 300 },
  )
})
