/**
 * Generates YAML texts as people write them: block and flow, all kinds of quotes, comments between and behind values, blank lines, CRLF.
 */

import fc from 'fast-check'

/** A value as text. `head`: what stands on the line of its key or dash. `lines`: what stands below that line. */
type Written = { readonly head: string; readonly lines: readonly string[] }
/** How a text is indented. `step`: the blanks for each level. `zero`: whether a list below a key is not indented. */
type Frame = { readonly step: number; readonly zero: boolean }
/** Writes a value that stands behind a key or a dash. Its lines are indented from there. */
type Writer = (behind: 'key' | 'dash', frame: Frame) => Written
/** A member of a map or list. `above`: the empty lines and comments above it. `deeper`: whether an indented comment stands below it. */
type Member = { readonly above: readonly string[]; readonly key: string; readonly value: Writer; readonly deeper: boolean }

const scalars = [
  'plain', 'two words', 'a,b', 'x # why', '-1', 'true', '1.5', '~', 'null', '', ' # nothing', 'http://127.0.0.1:9000/a#b',
  "'single'", "'it''s' # why", "'# no comment'", '"double"', '"with \\n and \\"quotes\\""   # why', '"{ no map }"', '${SECRET}',
] // biome-ignore format: one table
const flowScalars = ['a', 'two words', '5', 'true', 'null', "'x, y'", '"q: ] }"', '"#"', 'a#b']
const keys = ['a', 'b', 'long key', "'quoted'", '"double"', 'x-y', 'on_call', '"#h"', '__proto__x', '7']
const comments = ['# why', '#no space', '# key: value', '#', '# - item { [ "']
const blocks = [['one'], ['one', '', 'two'], ['  deep', 'less'], ['# no comment', 'x: y'], ['', 'late'], ['trail  ', 'x'], ['{a}', '- b']]
const headers = ['|', '|-', '>', '>-', '|+', '| # why', '>-  # why']

const pad = (lines: readonly string[], by: number): string[] => lines.map((line) => (line === '' ? '' : ' '.repeat(by) + line))

const keysOf = <T>(values: fc.Arbitrary<T>, atLeast: number): fc.Arbitrary<(readonly [string, T])[]> =>
  fc.uniqueArray(fc.tuple(fc.constantFrom(...keys), values), {
    minLength: atLeast,
    maxLength: 4,
    selector: ([key]) => key.replace(/['"]/g, ''),
  })

const scalar = fc.constantFrom(...scalars).map(
  (text): Writer =>
    () => ({ head: text === '' || text.startsWith(' ') ? text : ` ${text}`, lines: [] }),
)

const block = fc.tuple(fc.constantFrom(...headers), fc.constantFrom(...blocks)).map(
  ([header, lines]): Writer =>
    (_, { step }) => {
      const needsDigit = lines.find((line) => line !== '')?.startsWith(' ')
      return { head: ` ${needsDigit ? header[0] + String(step) + header.slice(1) : header}`, lines: pad(lines, step) }
    },
)

const { flow } = fc.letrec<{ flow: string; value: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constantFrom(...flowScalars), tie('flow')),
  flow: fc.oneof(
    fc.array(tie('value'), { maxLength: 3 }).chain((items) => fc.constantFrom(`[${items.join(', ')}]`, `[ ${items.join(' ,')} ]`)),
    keysOf(tie('value'), 0).chain((members) => {
      const inner = members.map(([key, value]) => `${key}: ${value}`).join(', ')
      return fc.constantFrom(`{ ${inner} }`, `{${inner}}`)
    }),
  ),
}))
const oneLine = fc.tuple(flow, fc.constantFrom('', '', ' # why')).map(
  ([text, behind]): Writer =>
    () => ({ head: ` ${text}${behind}`, lines: [] }),
)
const overLines = fc.array(fc.tuple(fc.constantFrom(...flowScalars), fc.constantFrom('', ' # why')), { minLength: 1, maxLength: 3 }).map(
  (items): Writer =>
    (_, { step }) => ({ head: ' [', lines: pad([...items.map(([text, behind]) => `${text},${behind}`), ']'], step) }),
)

const above = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(fc.constantFrom('', ...comments), { maxLength: 3 }))

const { members, items } = fc.letrec<{ node: Writer; members: readonly Member[]; items: readonly Member[] }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    { arbitrary: scalar, weight: 4 },
    { arbitrary: block, weight: 2 },
    oneLine,
    overLines,
    { arbitrary: fc.tuple(tie('members'), fc.constantFrom('', '', ' # why')).map(([all, behind]) => mapWriter(all, behind)), weight: 3 },
    { arbitrary: fc.tuple(tie('items'), fc.constantFrom('', '', ' # why')).map(([all, behind]) => listWriter(all, behind)), weight: 2 },
  ),
  members: keysOf(fc.tuple(tie('node'), above, fc.boolean()), 1).map((all) =>
    all.map(([key, [value, over, deeper]]) => ({ above: over, key, value, deeper })),
  ),
  items: fc
    .array(fc.tuple(tie('node'), above, fc.boolean()), { minLength: 1, maxLength: 4 })
    .map((all) => all.map(([value, over, deeper]) => ({ above: over, key: '', value, deeper }))),
}))

const writeMembers = (all: readonly Member[], behind: 'key' | 'dash', frame: Frame): string[] =>
  all.flatMap(({ above: over, key, value, deeper }) => {
    const { head, lines } = value(behind, frame)
    // Below a block of text, the comment would be a part of the text.
    const below = deeper && !/[|>]/.test(head) ? [`${' '.repeat(frame.step)}# deeper`] : []
    return [...over, (behind === 'key' ? `${key}:` : '-') + head, ...lines, ...below]
  })

const mapWriter =
  (all: readonly Member[], behind: string): Writer =>
  (after, frame) => {
    const lines = writeMembers(all, 'key', frame)
    return placed(lines, behind, after, after === 'key' ? frame.step : 2)
  }

const listWriter =
  (all: readonly Member[], behind: string): Writer =>
  (after, frame) => {
    const lines = writeMembers(all, 'dash', frame)
    return placed(lines, behind, after, after === 'key' && frame.zero ? 0 : after === 'key' ? frame.step : 2)
  }

/** Returns a map or list behind its key or dash. Behind a dash, the first member may stand on the line of the dash. */
const placed = (lines: readonly string[], behind: string, after: 'key' | 'dash', by: number): Written => {
  const [first = ''] = lines
  const fits = after === 'dash' && behind === '' && first !== '' && !first.startsWith('#')
  return fits ? { head: ` ${first}`, lines: pad(lines.slice(1), by) } : { head: behind, lines: pad(lines, by) }
}

const frames = fc.record({ step: fc.constantFrom(2, 2, 4, 3), zero: fc.boolean() })

/** Whole files. Their value is a map, and seldom a list. */
export const yamlTexts: fc.Arbitrary<string> = fc
  .record({
    frame: frames,
    start: fc.constantFrom('', '', '', '---\n', '\ufeff', '# head\n\n', '--- # mark\n'),
    body: fc.oneof(
      { weight: 5, arbitrary: members.map((all) => (frame: Frame) => writeMembers(all, 'key', frame)) },
      items.map((all) => (frame: Frame) => writeMembers(all, 'dash', frame)),
    ),
    end: fc.constantFrom('', '\n', '\n', '\n', '\n\n', '\n# end\n', '\n...\n'),
    eol: fc.constantFrom('\n', '\n', '\r\n'),
  })
  .map(({ frame, start, body, end, eol }) => (start + body(frame).join('\n') + end).replaceAll('\n', eol))
