/** What splitting a text keeps to, whatever the text: shown on generated texts, with a scanner of its own for fences and places. */

import fc from 'fast-check'
import t from 'tap'
import { type LengthUnit, type Limit, lengthIn, splitText } from '../../src/parts/targets/kit/split.ts'

const maxParts = 30
const cutMark = '\n[cut: the text was longer]'
/** What a message may need besides the text: a fence opened again and closed, and the mark of a cut. */
const overhead = 75

const units: readonly LengthUnit[] = ['utf16', 'characters', 'bytes', 'json']
const limit: fc.Arbitrary<Limit> = fc.record({ max: fc.integer({ min: 100, max: 400 }), unit: fc.constantFrom(...units) })

const flag = '\u{1f1e9}\u{1f1ea}'
const family = '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}'
const syllable = '\u1112\u1161\u11ab'
const piece = fc.oneof(
  { arbitrary: fc.lorem({ maxCount: 12 }), weight: 4 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 60 }), weight: 2 },
  { arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }), weight: 2 },
  fc.string({ maxLength: 300 }).map((text) => text.replaceAll(' ', '')),
  fc.constantFrom('\n', '\n\n', '\r\n', '\r\n\r\n', ' ', '\t', '\n   \n', ' '.repeat(500), '\n'.repeat(500), '\u2028', '\r'),
  fc.constantFrom(
    '\n```\n',
    '\n```js\n',
    '\n  ````md\n',
    '\n````\n',
    ' ``` ',
    '```',
    '\n``` not a word at all\n',
    '\n```\r\n',
    '`'.repeat(400),
  ),
  fc.constantFrom(' \u0301', `x${'\u0301'.repeat(90)}`, `x${'\u0301'.repeat(900)}`, '\u0600 ', '\ud83d', '\udc69', '\u0000', '\ufeff'),
  fc.constantFrom(flag, flag.repeat(150), family, `${family}\u200d`.repeat(80), syllable.repeat(60), '\u0915\u094d'.repeat(70)),
)
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

const squeeze = (text: string): string => text.replace(/\s+/g, '')
const wellFormed = (text: string): string => Buffer.from(text).toString()

/** The fence that is left open, by CommonMark's rules. */
const openAtEnd = (part: string): string | undefined => {
  let open: string | undefined
  for (const line of part.split('\n')) {
    const marks = /^ {0,3}(`+)/.exec(line)?.[1] ?? ''
    const info = line.trimStart().slice(marks.length)
    if (marks.length < 3 || marks.length > 10 || info.includes('`')) continue
    if (open === undefined) open = marks
    else if (info.trim() === '' && marks.length >= open.length) open = undefined
  }
  return open
}

const header = /^`{3,10}[^`\n]*\n/

/** What of a message may be of the text: all of it, or without the fence lines that a cut adds. */
const readings = (part: string): string[] => {
  const unopened = part.replace(header, '')
  const unclosed = (each: string): string => each.replace(/\n`{3,10}$/, '')
  return [part, unopened, unclosed(part), unclosed(unopened)].map(squeeze)
}

/** After how many of the text's characters that are not blank each message can end; undefined when they do not make up the text. */
const cutsOf = (text: string, parts: readonly string[]): number[] | undefined => {
  const whole = squeeze(text)
  const wasCut = parts.length === maxParts && (parts.at(-1) ?? '').endsWith(cutMark)
  const bodies = parts.map((part, i) => (wasCut && i === parts.length - 1 ? part.slice(0, -cutMark.length) : part))
  // From the back: whether what is left from a place can be made up of the messages left.
  const dead = new Set<string>()
  const from = (i: number, at: number): number[] | undefined => {
    const body = bodies[i]
    if (body === undefined) return at === whole.length || wasCut ? [] : undefined
    if (dead.has(`${i} ${at}`)) return undefined
    for (const reading of readings(body)) {
      const later = whole.startsWith(reading, at) ? from(i + 1, at + reading.length) : undefined
      if (later) return [at + reading.length, ...later]
    }
    dead.add(`${i} ${at}`)
    return undefined
  }
  return from(0, 0)
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Whether a grapheme stands at the front, after no more than blanks. */
const begins = (part: string, grapheme: string): boolean =>
  part.slice(0, part.length - part.trimStart().length + grapheme.trimStart().length).endsWith(grapheme)

/** The graphemes that a cut goes through and that would have fitted into a message; their blank may begin the next one. */
const brokenGraphemes = (text: string, parts: readonly string[], cuts: readonly number[], { max, unit }: Limit): string[] => {
  const places = Array.from({ length: text.length }, (_, i) => i).filter((i) => text[i]?.trim() !== '')
  const segments = graphemes.segment(text)
  return cuts.flatMap((cut, i) => {
    const at = places[cut]
    const { index, segment } = (at === undefined ? undefined : segments.containing(at)) ?? { index: at, segment: '' }
    const isWhole = index === at || [parts[i + 1], parts[i + 1]?.replace(header, '')].some((part) => begins(part ?? '', segment))
    return isWhole || lengthIn(unit, segment) > max - overhead ? [] : [segment]
  })
}

const must = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what)
}

/** Throws for the first rule that does not hold. */
const check = (text: string, limit: Limit): void => {
  const parts = splitText(text, limit)
  must(parts.length <= maxParts, `${parts.length} messages`)
  must(parts.length > 0 === (text.trim() !== ''), 'none for a blank text only')
  for (const part of parts) {
    must(lengthIn(limit.unit, part) <= limit.max, `${lengthIn(limit.unit, part)} of ${limit.max} ${limit.unit}`)
    must(wellFormed(part) === part, 'a lone surrogate')
    must(part.trim() !== '', 'a blank message')
    must(openAtEnd(part) === undefined, `a fence left open: ${JSON.stringify(part)}`)
  }
  const whole = wellFormed(text).replaceAll('\r\n', '\n')
  const cuts = cutsOf(whole, parts)
  must(cuts !== undefined, `lost or added: ${JSON.stringify(parts)}`)
  const broken = brokenGraphemes(whole, parts, cuts?.slice(0, -1) ?? [], limit)
  must(broken.length === 0, `cut through ${JSON.stringify(broken)}`)
}

t.test('whatever the text, every message keeps the limit, is whole, and nothing is lost', async () => {
  fc.assert(fc.property(text, limit, check), { numRuns: 2000 })
})

t.test('the same of long texts, which are cut after thirty messages', async (t) => {
  const long = fc.tuple(fc.array(piece, { minLength: 1, maxLength: 6 }), fc.integer({ min: 50, max: 400 }))
  fc.assert(
    fc.property(long, limit, ([pieces, times], limit) => check(pieces.join('').repeat(times), limit)),
    { numRuns: 200 },
  )
  const parts = splitText('word '.repeat(4000), { max: 100, unit: 'utf16' })
  t.equal(parts.length, maxParts)
  t.ok(parts.at(-1)?.endsWith(`word${cutMark}`))
  t.notOk(parts.slice(0, -1).some((part) => part.includes(cutMark)))
})

t.test('a text that fits goes out as it is; none for a blank one', async (t) => {
  const limit: Limit = { max: 100, unit: 'characters' }
  for (const text of ['x', '\u{1f600}'.repeat(100), ' indented\n\n  more', '```\ncode\n```']) t.same(splitText(text, limit), [text])
  for (const text of ['', ' \n\t ', ' '.repeat(500), '\ufeff']) t.same(splitText(text, limit), [])
  t.same(splitText('a\r\nb\r\n', limit), ['a\nb'])
  t.same(splitText('a\ud800b', limit), ['a\ufffdb'])
})

t.test('it cuts at a paragraph, else a line, else a word, else between characters', async (t) => {
  const limit: Limit = { max: 100, unit: 'utf16' }
  const [a, b] = ['a'.repeat(50), 'b'.repeat(60)]
  t.same(splitText(`${a}\n\nb b\nb ${b}`, limit), [a, `b b\nb ${b}`])
  t.same(splitText(`${a}\r\nb b ${b}`, limit), [a, `b b ${b}`])
  t.same(splitText(`${a} ${b}`, limit), [a, b])
  const joined = splitText(`${'a'.repeat(80)}${family}${family}${b}`, limit)
  t.equal(joined[0], `${'a'.repeat(80)}${family}`)
  t.equal(joined.join(''), `${'a'.repeat(80)}${family}${family}${b}`)
  // U+0600 joins the blank after it, and U+11C92 the blank before it, so that the three are one grapheme.
  const sign = '\u0600 \u{11c92}'
  t.same(splitText(`${a}${sign}${b}`, limit), [a, `${sign}${b}`])
})

t.test('a fence is closed and opened again with its word, also one that holds fences', async (t) => {
  const limit: Limit = { max: 100, unit: 'utf16' }
  const line = `${'x'.repeat(39)}\n`
  t.same(splitText(`\`\`\`js\n${line.repeat(3)}\`\`\`\nend`, limit), [`\`\`\`js\n${line.repeat(2)}\`\`\``, `\`\`\`js\n${line}\`\`\`\nend`])
  t.same(splitText(`\`\`\`\`md\n\`\`\`js\n${line.repeat(3)}\`\`\`\`\nend`, limit), [
    `\`\`\`\`md\n\`\`\`js\n${line}\`\`\`\``,
    `\`\`\`\`md\n${line.repeat(2)}\`\`\`\`\nend`,
  ])
  t.same(splitText('```\nnever closed', limit), ['```\nnever closed\n```'])
})

t.test('texts of eight megabytes end', async (t) => {
  const size = 8 * 1024 * 1024
  const bits = ['a', 'a ', ' ', '\n', '\r\n', '\r', '\u{1f600}', '\u0301', ' \u0301', flag, '`', '```\n', '\n```` x\n', '\u2028', '\ud800']
  for (const [i, bit] of bits.entries()) {
    const unit = units[i % units.length] ?? 'utf16'
    const parts = splitText(`x\n${bit.repeat(size / bit.length)}x`, { max: 4000, unit })
    t.equal(parts.length, bit.trim() === '' ? 2 : maxParts, `${encodeURIComponent(wellFormed(bit))} by ${unit}`)
  }
})
