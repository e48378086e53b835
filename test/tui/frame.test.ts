/** Frames as the terminal gets them: colours of the terminal's palette, none with NO_COLOR, and nothing that a payload could act with. */

import { stripVTControlCharacters } from 'node:util'
import xterm from '@xterm/headless'
import { createElement } from 'react'
import stringWidth from 'string-width'
import t from 'tap'
import { widthOf } from '../../src/tui/model/characters.ts'
import { homeScreen } from '../../src/tui/screens/home/home.ts'
import { openCanvas, rowOf } from '../../src/tui/terminal/screen.ts'
import { frameOf } from '../../src/tui/view/frame.ts'
import { beside, fit, line, lineWidth, plainText, span, wrap } from '../../src/tui/view/line.ts'
import { rowAt } from '../../src/tui/view/list-view.ts'
import { until } from '../fakes/wait.ts'
import { driver, routeRow, stateOf } from './keys.ts'

// Ink draws nothing where it believes to be in a pipeline. The built program has that left out.
process.env.CI = 'false'
const { render } = await import('ink-testing-library')
const { Frame, openInk } = await import('../../src/tui/terminal/ink-screen.tsx')

const row = (name: string) => routeRow(name, { events: ['push'], warnings: 2 })

const home = (...names: string[]) => ({ file: '/data/config.yaml', subscriptions: 0, rows: names.map(row) })

/** As Ink hands it on. */
const drawn = (names: string[], look: { colour: boolean; ascii: boolean }): string => {
  const frame = frameOf(stateOf(homeScreen, { size: { columns: 100, rows: 30 }, home: home(...names) }))
  const { lastFrame, unmount } = render(createElement(Frame, { rows: frame.map((spans) => rowOf(spans, look)) }))
  const text = lastFrame() ?? ''
  unmount()
  return text
}

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
  t.same(
    fit([span('a', 'plain', { inverse: true })], 3).map(({ inverse = false }) => inverse),
    [true, false],
    'the cursor at the end of a text is one sign wide',
  )
  t.equal(plainText(fit([span('中文字')], 6)), '中文字')
  t.equal(lineWidth(fit([span('👩‍👩‍👧 family')], 4)), 4)
  t.same(wrap('one two three', 8), ['one two', 'three'])
  t.same(wrap('中文字中文字', 4), ['中文', '字中', '文字'])
  t.equal(plainText(beside([line('a')], [line('b'), line('c')], 11, 4)[1] ?? []), '     │ c   ')
})

/** A canvas on a screen that can be read. */
const onScreen = (columns: number, rows: number) => {
  const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true })
  const written: string[] = []
  const stdout = { write: (text: string) => written.push(text) > 0 } as Pick<NodeJS.WriteStream, 'write'>
  const canvas = openCanvas(stdout, { colour: true, ascii: false }, () => true)
  const active = () => screen.buffer.active
  let read = 0
  const lines = async (): Promise<string[]> => {
    for (; read < written.length; read++) await new Promise<void>((resolve) => screen.write(written[read] ?? '', resolve))
    return Array.from(
      { length: screen.rows },
      (_, i) =>
        active()
          .getLine(active().baseY + i)
          ?.translateToString(true) ?? '',
    )
  }
  return { screen, written, canvas, lines }
}

t.test('of states that come too quickly one frame is made, of the last one', async (t) => {
  const { canvas, written } = onScreen(40, 5)
  const made: number[] = []
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
})

t.test('what the terminal shows is the frame: before Ink, when it takes over, and after', async (t) => {
  const { screen, written, canvas, lines } = onScreen(40, 8)
  const frame = (...texts: string[]) => texts.map((text) => (text === '' ? [] : [span(text, 'bad', { inverse: text.length > 9 })]))
  const shows = async (...texts: string[]): Promise<void> => {
    canvas.draw(() => frame(...texts))
    const expected = [...texts, ...Array.from({ length: screen.rows - texts.length }, () => '')]
    await until(async () => (await lines()).join('\n') === expected.join('\n')).catch(() => {})
    t.same(await lines(), expected)
  }
  const first = ['title', '', 'a long text of the first frame', 'hints']
  canvas.draw(() => frame(...first))
  t.equal(written.length, 1, 'at once')
  await shows(...first)
  await new Promise(setImmediate)
  t.equal(written.length, 1, 'Ink takes over what is there')
  await shows('title', '', 'short', 'hints')
  for (const texts of [
    ['title', '中文 wide', 'b', 'hints'],
    ['title', '', '', 'h'],
    ['other', 'x', 'y', 'z'.repeat(40)],
    ['1', '2', '3', '4'],
  ])
    await shows(...texts)
  const quiet = written.length
  canvas.draw(() => frame('1', '2', '3', '4'))
  t.equal(written.length, quiet, 'nothing changed')
  canvas.draw(() => frame('1', '2', 'three', '4'))
  await until(() => written.length > quiet)
  t.notMatch(written.at(-1), '4\u001b', 'only the rows that changed')
  await shows('fewer', 'rows')
  await shows('1', '2', '3', '4', '5', '6', '7')
  screen.resize(20, 6)
  canvas.draw(() => frame('1', '2', '3', '4', '5'))
  canvas.redraw()
  await shows('1', '2', '3', '4', '5')
  screen.write('\u001b[Hwhat another program left')
  canvas.redraw()
  t.same(await lines(), ['1', '2', '3', '4', '5', ''])
  canvas.close()
})

t.test('Ink changes nothing of a row, and is asked once for each that stays', async (t) => {
  const ink = openInk()
  const rows = [
    [],
    [span('plain '), span('bad 中文', 'bad', { inverse: true }), span(' dim', 'dim')],
    [],
    [span('🎉 é', 'ok', { underline: true }), span('  x')],
    [span('x'.repeat(300), 'strong')],
  ].map((spans) => rowOf(spans, { colour: true, ascii: false }))
  t.same(ink.draw(rows), rows)
  t.same(ink.draw(rows.toReversed()), rows.toReversed(), 'in other places')
  t.same(ink.draw([...rows, 'one more']), [...rows, 'one more'])
  t.same(ink.draw([]), [])
  t.same(ink.draw(rows), rows)
  ink.close()
})

t.test('from its second frame on a canvas shows what Ink makes of it', async (t) => {
  const asked: string[][] = []
  const draw = (rows: string[]): string[] => {
    asked.push(rows)
    return rows.map((row) => row.toUpperCase())
  }
  const { openCanvas } = await t.mockImport<typeof import('../../src/tui/terminal/screen.ts')>('../../src/tui/terminal/screen.ts', {
    '../../src/tui/terminal/ink-screen.tsx': { openInk: () => ({ draw, close() {} }) },
  })
  const written: string[] = []
  const canvas = openCanvas({ write: (text: string) => written.push(text) > 0 }, { colour: true, ascii: false }, () => true)
  canvas.draw(() => [line('one'), line('two')])
  await until(() => asked.length > 0)
  canvas.draw(() => [line('one'), line('three')])
  await until(() => written.length > 1)
  canvas.close()
  t.match(written[0], /one[\s\S]*two/)
  t.match(written[1], 'THREE')
  t.notMatch(written[1], 'ONE', 'only the rows that changed')
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

t.test('the list has headings, a count, and what the route of the cursor does', async (t) => {
  const spec = {
    events: ['push'],
    secret: '*** (0a1b2c3d)',
    filters: [{ field: 'a', equals: 'b' }],
    prompt: 'Hello {name}',
    deliver: 'slack',
    skills: [],
  }
  const findings = [{ code: 'WH712', severity: 'warning', message: 'slack is not connected' }] as const
  const rows = [routeRow('one', { description: 'tells the channel', spec, findings }), routeRow('two', { recorded: 3, lastAt: 0 })]
  const editor = driver(stateOf(homeScreen, { size: { columns: 140, rows: 42 }, home: { file: '/c.yaml', subscriptions: 1, rows } }))
  t.match(editor.frame(), /routes \(2\) ─ \/c\.yaml \+ 1 subscription /)
  t.match(editor.frame(), /NAME +IN +MODE +DELIVER +STATE +CAME/)
  const preview = (): string => editor.frame().replace(/^.*│ ?/gm, '')
  t.match(
    preview(),
    /one +config\.yaml, agent *\ntells the channel *\n! WH712 slack is not connected *\nEvents +push *\nSecret +\*\*\* \(0a1b2c3d\) *\nFilters +a equals "b" *\nPrompt +Hello \{name\} *\nDeliver +slack *\n/,
  )
  t.notMatch(preview(), 'Skills')
  editor.press('j')
  t.match(preview(), /two +config\.yaml[\s\S]*Came +3 events, last 1970-01-01 00:00 UTC/)
  editor.press('/')
  editor.type('one')
  t.match(editor.frame(), /routes \(1 of 2\)/)
  for (const [columns, rows, isShown] of [
    [80, 24, true],
    [60, 16, false],
  ] as const) {
    editor.resize(columns, rows)
    t.equal(editor.frame().includes('tells the channel'), isShown, `${columns}x${rows}`)
    t.match(editor.frame(), /> one .*log +ok/, `${columns}x${rows}`)
  }
})

t.test('the row of the cursor is one even bar over its whole width', async (t) => {
  const frame = frameOf(stateOf(homeScreen, { size: { columns: 80, rows: 16 }, home: home('a', 'b') }))
  const bars = frame.filter((spans) => spans.some(({ inverse }) => inverse))
  t.same(
    bars.map((spans) => spans.map(({ tone, inverse, text }) => [tone, inverse, text.length])),
    [[['plain', true, 80]]],
  )
})
