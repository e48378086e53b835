/** Frames as the terminal gets them: colours of the terminal's palette, none with NO_COLOR, and nothing that a payload could act with. */

import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import t from 'tap'
import { widthOf } from '../../src/tui/model/characters.ts'
import { homeScreen } from '../../src/tui/screens/home/home.ts'
import { openCanvas, rowOf } from '../../src/tui/terminal/screen.ts'
import { frameOf } from '../../src/tui/view/frame.ts'
import { beside, fit, line, lineWidth, plainText, span, wrap } from '../../src/tui/view/line.ts'
import { rowAt } from '../../src/tui/view/list-view.ts'
import { until } from '../fakes/wait.ts'
import { stateOf } from './keys.ts'

const row = (name: string) => ({
  name,
  source: 'config' as const,
  enabled: true,
  shadowed: false,
  mode: 'agent',
  events: ['push'],
  deliver: 'log',
  description: '',
  errors: 0,
  warnings: 2,
  recorded: 0,
})

const home = (...names: string[]) => ({ file: '/data/config.yaml', subscriptions: 0, rows: names.map(row) })

const drawn = (names: string[], look: { colour: boolean; ascii: boolean }): string =>
  frameOf(stateOf(homeScreen, { size: { columns: 100, rows: 30 }, home: home(...names) }))
    .map((spans) => rowOf(spans, look))
    .join('\n')

t.test('a frame is never as high as the terminal, and no line is wider', async (t) => {
  for (const [columns, rows] of [
    [120, 30],
    [60, 16],
    [40, 10],
    [39, 9],
    [10, 3],
  ] as const) {
    const lines = frameOf(stateOf(homeScreen, { size: { columns, rows }, home: home('a', '中文路線名', 'x'.repeat(200)) }))
    t.ok(lines.length < rows, `${columns}x${rows}`)
    t.ok(
      lines.every((each) => lineWidth(each) <= columns),
      `${columns}x${rows}: width`,
    )
  }
})

t.test('meaning is in words, so that it is there without colour and in ASCII', async (t) => {
  const plain = drawn(['pr-review'], { colour: false, ascii: true })
  t.match(stripVTControlCharacters(plain), /> pr-review/)
  t.match(stripVTControlCharacters(plain), /2 warnings/)
  t.notMatch(plain, /[^\n -~\u001b]/)
  t.notMatch(plain, /\u001b\[3\dm/, 'no colour')
})

t.test('what strangers wrote cannot act on the terminal', async (t) => {
  const hostile = '\u001b[2J\u001b]0;title\u0007\u202e\rname'
  const frame = drawn([hostile], { colour: true, ascii: false })
  t.notMatch(frame, /\u001b\[2J|\u001b\]|\u0007|\u202e|\r/)
  t.match(frame, /\\u\{1b\}/)
})

t.test('lines are measured by what the terminal shows', async (t) => {
  t.equal(plainText(fit([span('中文字')], 5)), '中文…')
  t.equal(plainText(fit([span('中文字')], 6)), '中文字')
  t.equal(lineWidth(fit([span('👩‍👩‍👧 family')], 4)), 4)
  t.same(wrap('one two three', 8), ['one two', 'three'])
  t.same(wrap('中文字中文字', 4), ['中文', '字中', '文字'])
  t.equal(plainText(beside([line('a')], [line('b'), line('c')], 11, 4)[1] ?? []), '     │ c   ')
})

t.test('of states that come too quickly one frame is made, of the last one', async (t) => {
  const written: string[] = []
  const made: number[] = []
  const stdout = { write: (text: string) => written.push(text) > 0 }
  const canvas = openCanvas(stdout as Pick<NodeJS.WriteStream, 'write'>, { colour: false, ascii: false }, () => true)
  const frame = (i: number) => () => {
    made.push(i)
    return [line(`frame ${i}`)]
  }
  for (let i = 1; i <= 100; i++) canvas.draw(frame(i))
  await until(() => written.some((text) => text.includes('frame 100')))
  canvas.close()
  t.equal(made[0], 1)
  t.equal(made.at(-1), 100)
  t.ok(made.length < 50, `${made.length} frames were made`)
  t.equal(written.length, made.length)
})

t.test('a click means the row of the list that the cursor is in', async (t) => {
  const frame = frameOf(stateOf(homeScreen, { size: { columns: 100, rows: 30 }, home: home('a', '中文路線名', 'c') }))
  const at = frame.findIndex((spans) => plainText(spans).includes('中文'))
  t.equal(rowAt(frame, { column: 4, line: at }), 1)
  t.equal(rowAt(frame, { column: 99, line: at + 1 }), 2, 'also right of the text')
  t.equal(rowAt(frame, { column: 4, line: 0 }), undefined, 'the title')
  t.equal(rowAt(frame, { column: 4, line: 99 }), undefined)
})

t.test('texts are as wide as string-width has them', async (t) => {
  const points = Array.from({ length: 0x20000 / 7 }, (_, i) => String.fromCodePoint(0x20 + i * 7))
  const texts = points.filter((text) => !/\p{Cc}/u.test(text)).flatMap((text) => [text, `a${text}`, `${text}\ufe0f`])
  const clusters = ['❤️', '1️⃣', '🇩🇪', '🇩', '👍🏽', '👩‍👩‍👧 family', 'ｶﾞ', '각', 'क्षि', 'a\u0301\u0302', '─│…→·', '']
  t.same(
    [...texts, ...clusters].filter((text) => widthOf(text) !== stringWidth(text)),
    [],
  )
})
