/** Draws frames with Ink. Nothing else of the editor knows Ink or React. */

import { EventEmitter } from 'node:events'
import { Box, render, Text } from 'ink'
import { createElement } from 'react'
import { type Line, type Span, type Tone, widthOf } from '../view/line.ts'
import { beginUpdate, clear, endUpdate, eraseRest, moveTo } from './modes.ts'

/** Colours of the terminal's own palette, and what stands for them without colour. */
const styles: { readonly [tone in Tone]: { readonly color?: string; readonly bold?: boolean; readonly dimColor?: boolean } } = {
  plain: {},
  dim: { dimColor: true },
  strong: { bold: true },
  ok: { color: 'green' },
  bad: { color: 'red', bold: true },
  warn: { color: 'yellow' },
  accent: { color: 'cyan' },
}

const withoutColour = ({ color: _, ...style }: (typeof styles)[Tone]) => style

const ascii: { readonly [character: string]: string } = { '│': '|', '─': '-', '…': '~', '→': '>', '·': '.' }

type Look = { readonly colour: boolean; readonly ascii: boolean }

const styleOf = ({ tone = 'plain', inverse = false, underline = false }: Span, { colour }: Look) => ({
  ...(colour ? styles[tone] : withoutColour(styles[tone])),
  inverse,
  underline,
})

const shown = (text: string, look: Look): string => (look.ascii ? text.replace(beyondAscii, inAscii) : text)

const beyondAscii = /[^\x20-\x7e]+/gu

/** What there is no sign for stands as `?`, as wide as it is: a terminal of another encoding takes some bytes of UTF-8 for commands. */
const inAscii = (text: string): string => Array.from(text, (each) => ascii[each] ?? '?'.repeat(widthOf(each))).join('')

// The spans and rows are places on the terminal, so that their index is what they are.
const Row = ({ spans, look }: { readonly spans: Line; readonly look: Look }) =>
  createElement(
    Text,
    { wrap: 'truncate' },
    ...(spans.length === 0 ? [' '] : spans.map((span) => createElement(Text, styleOf(span, look), shown(span.text, look)))),
  )

/** The rows of a frame, as Ink has them. */
export const Rows = ({ lines, look }: { readonly lines: readonly Line[]; readonly look: Look }) =>
  createElement(Box, { flexDirection: 'column' }, ...lines.map((spans) => createElement(Row, { spans, look })))

export type Canvas = {
  draw(lines: readonly Line[]): void
  /** Draws everything again, also what the terminal should have kept. */
  redraw(): void
  close(): void
}

/** So often a second at most. */
const maxFps = 30

/** Ink colours the rows that changed, for it takes its time over each; they are sent together, each to its own row, so that nothing flickers. */
export const openCanvas = (stdout: NodeJS.WriteStream, look: Look, isOurs: () => boolean): Canvas => {
  /** What the terminal shows, as JSON; `undefined`: nobody knows. */
  let sent: readonly string[] | undefined = []
  let latest: readonly Line[] = []
  let timer: NodeJS.Timeout | undefined
  let drawnAt = Number.NEGATIVE_INFINITY
  let drawn = ''
  // Ink takes a terminal; in its debug mode it writes each frame whole, and nothing else.
  const write = (output: string): void => {
    drawn = output
  }
  const frames = Object.assign(new EventEmitter(), { columns: 0, write }) as unknown as NodeJS.WriteStream
  // Ink handles each cell of that width. Lines are cut to it before they come here.
  Object.defineProperty(frames, 'columns', { get: () => stdout.columns })
  const instance = render(<Rows lines={[]} look={look} />, { stdout: frames, debug: true, patchConsole: false, exitOnCtrlC: false })
  // A mistake in what is drawn is one of the program, which nobody but it takes.
  void instance.waitUntilExit()
  const show = (): void => {
    clearTimeout(timer)
    timer = undefined
    // Another program has the terminal: when it is given back, all is drawn.
    if (!isOurs()) return
    drawnAt = performance.now()
    const now = latest.map((spans) => JSON.stringify(spans))
    const before = sent
    const changed = now.flatMap((text, i) => (text === before?.[i] ? [] : [i]))
    const gone = (before ?? []).flatMap((_, i) => (i < now.length ? [] : [`${moveTo(i)}${eraseRest}`]))
    sent = now
    if (changed.length + gone.length === 0) return
    // With a key of its own none is taken for one of before, of which Ink would not say anything.
    instance.rerender(<Rows key={drawnAt} lines={changed.map((i) => latest[i] ?? [])} look={look} />)
    const lines = drawn.split('\n')
    const rows = changed.map((row, i) => `${moveTo(row)}${lines[i] ?? ''}${eraseRest}`)
    stdout.write(`${beginUpdate}${before ? '' : clear}${rows.join('')}${gone.join('')}${endUpdate}`)
  }
  return {
    draw(lines) {
      latest = lines
      const waits = drawnAt + 1_000 / maxFps - performance.now()
      if (timer === undefined && waits <= 0) show()
      else timer ??= setTimeout(show, waits)
    },
    redraw() {
      sent = undefined
      show()
    },
    close() {
      clearTimeout(timer)
      instance.unmount()
    },
  }
}
