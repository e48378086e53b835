/** Frames as Ink draws them: colours of the terminal's palette, none with NO_COLOR, and nothing that a payload could act with. */

import { render } from 'ink-testing-library'
import { createElement } from 'react'
import t from 'tap'
import { homeScreen } from '../../src/tui/screens/home/home.ts'
import { Rows } from '../../src/tui/terminal/screen.tsx'
import { frameOf } from '../../src/tui/view/frame.ts'
import { beside, fit, line, lineWidth, plainText, span, wrap } from '../../src/tui/view/line.ts'
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

const drawn = (names: string[], look: { colour: boolean; ascii: boolean }): string => {
  const { lastFrame, unmount } = render(
    createElement(Rows, { lines: frameOf(stateOf(homeScreen, { size: { columns: 100, rows: 30 }, home: home(...names) })), look }),
  )
  const frame = lastFrame() ?? ''
  unmount()
  return frame
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
  t.match(plain, /> pr-review/)
  t.match(plain, /2 warnings/)
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
