/** Frames as the terminal gets them: colours of the terminal's palette, none with NO_COLOR, and nothing that a payload could act with. */

import '../fakes/no-pipeline.ts'

import { stripVTControlCharacters } from 'node:util'
import xterm from '@xterm/headless'
import { renderToString } from 'ink'
import { createElement } from 'react'
import stringWidth from 'string-width'
import t, { type Test } from 'tap'
import { Frame } from '../../src/tui/frame.tsx'
import { cutOrPad, cutOrPadTogether, wrap } from '../../src/tui/model/cells.ts'
import { widthOf } from '../../src/tui/model/characters.ts'
import { clickedRow } from '../../src/tui/model/click.ts'
import type { EditorState } from '../../src/tui/model/state.ts'
import { homeScreen } from '../../src/tui/screens/home/home.ts'
import { models } from '../../src/tui/screens/index.ts'
import { type Appearance, inAscii, openCanvas } from '../../src/tui/terminal/canvas.tsx'
import { Remarks } from '../../src/tui/view/remarks.tsx'
import { Colour } from '../../src/tui/view/span.tsx'
import { until } from '../fakes/wait.ts'
import { drawn, driver, routeRow, stateOf } from './keys.ts'

const row = (name: string) => routeRow(name, { events: ['push'], warnings: 2 })

const home = (...names: string[]) => ({ file: '/data/config.yaml', subscriptions: 0, rows: names.map(row) })

const homeAt = (columns: number, rows: number, ...names: string[]): EditorState =>
  stateOf(homeScreen, { size: { columns, rows }, home: home(...names) })

/** As the terminal gets it. */
const shown = (names: string[], { colour, ascii }: Appearance): string => {
  const frame = createElement(Colour, { value: colour }, createElement(Frame, { state: homeAt(100, 30, ...names) }))
  const text = renderToString(frame, { columns: 100 })
  return ascii ? inAscii(text) : text
}

t.test('a frame is never as high as the terminal, and no line is wider', async (t) => {
  for (const [columns, rows] of [
    [120, 30],
    [60, 16],
    [40, 10],
    [39, 9],
    [10, 3],
  ] as const) {
    const lines = drawn(homeAt(columns, rows, 'a', '中文路線名', 'x'.repeat(200))).split('\n')
    t.ok(lines.length < rows, `${columns}x${rows}`)
    t.ok(
      lines.every((each) => stringWidth(each) <= columns),
      `${columns}x${rows}: width`,
    )
  }
})

t.test('meaning is in words, so that it is there without colour and in ASCII', async (t) => {
  const plain = shown(['pr-review'], { colour: false, ascii: true })
  t.match(stripVTControlCharacters(plain), /> pr-review/)
  t.match(stripVTControlCharacters(plain), /2 warnings/)
  t.notMatch(plain, /[^\n -~\u001b]/)
  t.notMatch(plain, /\u001b\[3\dm/, 'no colour')
})

t.test('what strangers wrote cannot act on the terminal', async (t) => {
  const hostile = '\u001b[2J\u001b]0;title\u0007\u202e\rname'
  const frame = shown([hostile], { colour: true, ascii: false })
  t.notMatch(frame, /\u001b\[2J|\u001b\]|\u0007|\u202e|\r/)
  t.match(frame, /\\u\{1b\}/)
})

t.test('texts are cut, filled and broken by what the terminal shows', async (t) => {
  t.equal(cutOrPad('中文字', 5), '中文…')
  t.equal(cutOrPad('中文字', 6), '中文字')
  t.equal(cutOrPad('a', 3), 'a  ')
  t.equal(widthOf(cutOrPad('👩‍👩‍👧 family', 4)), 4)
  t.same(cutOrPadTogether(['ab', 'cd', 'ef'], 8), ['ab', 'cd', 'ef  '])
  t.same(cutOrPadTogether(['ab', 'cd', 'ef'], 4), ['ab', 'c…', ''])
  t.same(cutOrPadTogether(['中文', '字'], 3), ['中…', ''])
  t.same(wrap('one two three', 8), ['one two', 'three'])
  t.same(wrap('中文字中文字', 4), ['中文', '字中', '文字'])
})

t.test('a tone is a colour, or what stands for it without colours, on each line of its text', async (t) => {
  const text = (colour: boolean, tone: 'bad' | 'ok', columns: number): string => {
    const remarks = createElement(Remarks, { of: [{ text: 'one two', tone }] })
    return renderToString(createElement(Colour, { value: colour }, remarks), { columns })
  }
  t.equal(text(true, 'ok', 20), '\u001b[32mone two\u001b[39m')
  t.equal(text(false, 'ok', 20), 'one two')
  t.equal(text(false, 'bad', 20), '\u001b[1mone two\u001b[22m')
  t.same(
    text(true, 'ok', 4)
      .split('\n')
      .map((line) => /^\u001b\[32m\w+ ?\u001b\[39m$/.test(line)),
    [true, true],
  )
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
  const shows = async (t: Test, state: EditorState): Promise<void> => {
    const expected = [...stripVTControlCharacters(drawn(state)).split('\n'), '']
    await until(async () => (await lines()).join('\n') === expected.join('\n')).catch(() => {})
    t.same(await lines(), expected)
  }
  return { screen, written, canvas, lines, shows }
}

t.test('of states that come too quickly the last one is shown, and few of those before', async (t) => {
  const { canvas, written, shows } = onScreen(60, 12)
  const states = Array.from({ length: 100 }, (_, i) => homeAt(60, 12, `route-${i}`))
  for (const state of states) canvas.draw(state)
  const last = states.at(-1) as EditorState
  await shows(t, last)
  canvas.close()
  t.ok(written.length < 50, `${written.length} frames were shown`)
})

t.test('what the terminal shows is the frame of the state', async (t) => {
  const { screen, written, canvas, lines, shows } = onScreen(60, 16)
  const draw = async (state: EditorState): Promise<void> => {
    canvas.draw(state)
    await shows(t, state)
  }
  canvas.draw(homeAt(60, 16, 'a', 'b'))
  t.equal(written.length, 1, 'at once')
  await shows(t, homeAt(60, 16, 'a', 'b'))
  for (const names of [['a', '中文 wide', 'b'], [], ['x'.repeat(200)], Array.from({ length: 40 }, (_, i) => `route-${i}`), ['a', 'b']])
    await draw(homeAt(60, 16, ...names))
  const quiet = written.length
  canvas.draw(homeAt(60, 16, 'a', 'b'))
  await draw(homeAt(60, 16, 'a', 'c'))
  t.equal(written.length, quiet + 1, 'a state that looks the same is not written')
  const change = written.at(-1) ?? ''
  t.match(change, /^\u001b\[\?2026h[\s\S]*\u001b\[\?2026l$/, 'shown at once')
  t.match(change, /c .*2 warnings/)
  t.notMatch(change, /\ba .*2 warnings/, 'only the rows that changed')
  screen.resize(70, 20)
  canvas.draw(homeAt(70, 20, 'a', 'c'))
  canvas.redraw()
  await draw(homeAt(70, 20, 'a', 'c'))
  await draw(homeAt(70, 20, 'a', 'd'))
  screen.write('\u001b[Hwhat another program left')
  canvas.redraw()
  await draw(homeAt(70, 20, 'a', 'd'))
  screen.resize(30, 5)
  canvas.draw(homeAt(30, 5))
  canvas.redraw()
  await draw(homeAt(30, 5))
  canvas.close()
  t.equal((await lines())[0], 'too small: 30x5, needs 40x10;', 'it stays as it is')
})

t.test('while another program has the terminal nothing is written; afterwards all is drawn', async (t) => {
  let isOurs = true
  const written: string[] = []
  const stdout = { write: (text: string) => written.push(text) > 0 } as Pick<NodeJS.WriteStream, 'write'>
  const canvas = openCanvas(stdout, { colour: true, ascii: true }, () => isOurs)
  canvas.draw(homeAt(60, 16, 'a', 'b'))
  isOurs = false
  canvas.draw(homeAt(60, 16, 'a', 'c'))
  canvas.redraw()
  t.equal(written.length, 1)
  isOurs = true
  canvas.redraw()
  t.match(written.at(-1), /\u001b\[2J[\s\S]*gateway[\s\S]*mc {2}[\s\S]* quit/)
  t.notMatch(written.join(''), /[^\0-\x7f]/, 'ASCII alone')
  canvas.close()
  t.equal(written.length, 2)
})

t.test('a click means the row of the list that the cursor is in', async (t) => {
  const state = homeAt(100, 30, 'a', '中文路線名', 'c')
  const at = drawn(state)
    .split('\n')
    .findIndex((line) => line.includes('中文'))
  const row = (column: number, line: number): number | undefined => clickedRow(state, { column, line }, models)
  t.equal(row(4, at), 1)
  t.equal(row(99, at + 1), 2, 'also right of the text')
  for (const [line, what] of [
    [0, 'the title'],
    [at + 2, 'below the last row'],
    [29, 'the last row of the terminal'],
    [99, 'nowhere'],
  ] as const)
    t.equal(row(4, line), undefined, what)
  t.equal(clickedRow(homeAt(30, 9, 'a'), { column: 4, line: 3 }, models), undefined, 'too small')
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
  const bars = drawn(homeAt(80, 16, 'a', 'b'))
    .split('\n')
    .filter((line) => line.includes('\u001b[7m'))
  t.equal(bars.length, 1)
  const [, bar = ''] = /^\u001b\[7m([^\u001b]*)\u001b\[27m$/.exec(bars[0] ?? '') ?? []
  t.match(bar, /^> a /)
  t.equal(bar.length, 80)
})
