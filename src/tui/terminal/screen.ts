/** Makes text of frames, and shows it: of each frame the rows that differ from the last one. */

import { styleText } from 'node:util'
import { widthOf } from '../model/characters.ts'
import type { Line, Span, Tone } from '../view/line.ts'
import type { Ink } from './ink-screen.tsx'
import { beginUpdate, clear, endUpdate, eraseRest, moveTo } from './modes.ts'

type Style = 'dim' | 'bold' | 'green' | 'red' | 'yellow' | 'cyan' | 'inverse' | 'underline'

/** Colours of the terminal's own palette, and what stands for them without colour. */
const styles: { readonly [tone in Tone]: { readonly colour: readonly Style[]; readonly plain: readonly Style[] } } = {
  plain: { colour: [], plain: [] },
  dim: { colour: ['dim'], plain: ['dim'] },
  strong: { colour: ['bold'], plain: ['bold'] },
  ok: { colour: ['green'], plain: [] },
  bad: { colour: ['red', 'bold'], plain: ['bold'] },
  warn: { colour: ['yellow'], plain: [] },
  accent: { colour: ['cyan'], plain: [] },
}

const ascii: { readonly [character: string]: string } = { '│': '|', '─': '-', '…': '~', '→': '>', '·': '.' }

export type Look = { readonly colour: boolean; readonly ascii: boolean }

const beyondAscii = /[^\x20-\x7e]+/gu

/** What there is no sign for stands as `?`, as wide as it is: a terminal of another encoding takes some bytes of UTF-8 for commands. */
const inAscii = (text: string): string => Array.from(text, (each) => ascii[each] ?? '?'.repeat(widthOf(each))).join('')

const painted = ({ text, tone = 'plain', inverse = false, underline = false }: Span, look: Look): string => {
  const format: Style[] = [...styles[tone][look.colour ? 'colour' : 'plain']]
  if (inverse) format.push('inverse')
  if (underline) format.push('underline')
  // Whether there are colours was decided by whoever opened the canvas.
  return styleText(format, look.ascii ? text.replace(beyondAscii, inAscii) : text, { validateStream: false })
}

/** A row as the terminal gets it, whoever sends it. Blanks at its end are not sent: the rest of the row is erased. */
export const rowOf = (spans: Line, look: Look): string =>
  spans
    .map((each) => painted(each, look))
    .join('')
    .trimEnd()

export type Canvas = {
  /** The frame is made when it is its turn to be shown: of those that come too quickly only the last one is. */
  draw(frame: () => readonly Line[]): void
  /** Draws everything again, also what the terminal should have kept. */
  redraw(): void
  close(): void
}

/** So often a second at most. */
const maxFps = 30

/** Until Ink is loaded, after the first frame, rows are sent as they are. Then Ink draws them. */
export const openCanvas = (stdout: Pick<NodeJS.WriteStream, 'write'>, look: Look, isOurs: () => boolean): Canvas => {
  /** What the terminal shows; `undefined`: nobody knows. */
  let shown: readonly string[] | undefined
  let latest = (): readonly Line[] => []
  let timer: NodeJS.Timeout | undefined
  let drawnAt = Number.NEGATIVE_INFINITY
  let isLoading = false
  let isClosed = false
  let ink: Ink | undefined
  /** What is written together is shown at once, so that nothing flickers. */
  const paint = (rows: readonly string[]): void => {
    const before = shown?.length === rows.length ? shown : undefined
    const drawn = ink?.draw(rows) ?? rows
    const changed = drawn.flatMap((row, i) => (rows[i] === before?.[i] ? [] : [`${moveTo(i)}${row}${eraseRest}`]))
    if (changed.length > 0) stdout.write(`${beginUpdate}${before ? '' : clear}${changed.join('')}${endUpdate}`)
  }
  const show = (): void => {
    clearTimeout(timer)
    timer = undefined
    // Another program may have the terminal: when it is given back, all is drawn.
    if (!isOurs()) return
    drawnAt = performance.now()
    const rows = latest().map((spans) => rowOf(spans, look))
    paint(rows)
    shown = rows
    if (!isLoading) void load()
  }
  const load = async (): Promise<void> => {
    isLoading = true
    const { openInk } = await import('./ink-screen.tsx')
    if (isClosed) return
    ink = openInk()
    // Not for the terminal, which has it: so that the next one takes less.
    if (shown) ink.draw(shown)
  }
  return {
    draw(frame) {
      latest = frame
      const waits = drawnAt + 1_000 / maxFps - performance.now()
      if (timer === undefined && waits <= 0) show()
      else timer ??= setTimeout(show, waits)
    },
    redraw() {
      shown = undefined
      show()
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      ink?.close()
    },
  }
}
