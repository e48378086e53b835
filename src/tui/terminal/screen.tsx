/** Draws frames with Ink. Nothing else of the editor knows Ink or React. */

import { EventEmitter } from 'node:events'
import { Box, render, Text } from 'ink'
import { createElement, memo } from 'react'
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
const Row = memo(
  ({ spans, look }: { readonly spans: Line; readonly look: Look }) =>
    createElement(
      Text,
      { wrap: 'truncate' },
      ...(spans.length === 0 ? [' '] : spans.map((span) => createElement(Text, styleOf(span, look), shown(span.text, look)))),
    ),
  (a, b) => a.look === b.look && JSON.stringify(a.spans) === JSON.stringify(b.spans),
)

export const Frame = ({ lines, look }: { readonly lines: readonly Line[]; readonly look: Look }) =>
  createElement(Box, { flexDirection: 'column' }, ...lines.map((spans) => createElement(Row, { spans, look })))

export type Canvas = {
  draw(lines: readonly Line[]): void
  /** Draws everything again, also what the terminal should have kept. */
  redraw(): void
  close(): void
}

/** So often a second at most. */
const maxFps = 30

/** Ink lays the frame out and colours it; of its lines only those that changed are sent, each to its own row, so that nothing flickers. */
export const openCanvas = (stdout: NodeJS.WriteStream, look: Look): Canvas => {
  let sent: readonly string[] = []
  /** What the terminal shows is not what was sent. */
  let isStale = false
  let latest: readonly Line[] = []
  let timer: NodeJS.Timeout | undefined
  let drawnAt = Number.NEGATIVE_INFINITY
  const paint = (output: string): void => {
    const lines = output.split('\n')
    const before = isStale ? clear : ''
    if (isStale) sent = []
    isStale = false
    const changes = lines.flatMap((text, i) => (text === sent[i] ? [] : [`${moveTo(i)}${text}${eraseRest}`]))
    const gone = sent.slice(lines.length).map((_, i) => `${moveTo(lines.length + i)}${eraseRest}`)
    sent = lines
    const update = `${before}${changes.join('')}${gone.join('')}`
    if (update !== '') stdout.write(`${beginUpdate}${update}${endUpdate}`)
  }
  // Ink takes a terminal; in its debug mode it writes each frame whole, and nothing else.
  const frames = Object.assign(new EventEmitter(), { columns: widest, write: paint }) as unknown as NodeJS.WriteStream
  const instance = render(<Frame lines={latest} look={look} />, { stdout: frames, debug: true, patchConsole: false, exitOnCtrlC: false })
  // A mistake in what is drawn is one of the program, which nobody but it takes.
  void instance.waitUntilExit()
  const show = (): void => {
    timer = undefined
    drawnAt = performance.now()
    instance.rerender(<Frame lines={latest} look={look} />)
  }
  return {
    draw(lines) {
      latest = lines
      timer ??= setTimeout(show, Math.max(0, drawnAt + 1_000 / maxFps - performance.now()))
    },
    redraw() {
      isStale = true
      clearTimeout(timer)
      show()
      // Of a frame that is the same as before Ink has nothing to say.
      if (isStale) paint(sent.join('\n'))
    },
    close() {
      clearTimeout(timer)
      instance.unmount()
    },
  }
}

/** Lines are cut before they come here. */
const widest = 1_000
