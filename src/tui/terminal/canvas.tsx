/** Shows states of the editor on the terminal, with Ink. */

import { type Instance, render } from 'ink'
import type { ReactNode } from 'react'
import { systemClock } from '../../core/clock.ts'
import { Timer } from '../../core/turns/timer.ts'
import { Frame } from '../frame.tsx'
import { widthOf } from '../model/characters.ts'
import type { EditorState } from '../model/state.ts'
import { Colour } from '../view/span.tsx'
import { type InkOutput, inkOutput } from './ink-output.ts'

/** The replacements of signs that a terminal without UTF-8 does not have. */
const signs: { readonly [character: string]: string } = { '│': '|', '─': '-', '…': '~', '→': '>', '·': '.' }

const beyondAscii = /[^\0-\x7f]+/gu

/**
 * Returns a text in ASCII. A sign without a replacement becomes as many `?` as it has cells, because a terminal of another encoding takes
 * some bytes of UTF-8 for commands.
 */
export const inAscii = (text: string): string =>
  text.replace(beyondAscii, (part) => Array.from(part, (each) => signs[each] ?? '?'.repeat(widthOf(each))).join(''))

/** Whether frames have colours, and whether they are made of ASCII only. */
export type Appearance = { readonly colour: boolean; readonly ascii: boolean }

export type Canvas = {
  /** Draws a state. If states come too quickly, only the last of them is drawn. */
  draw(state: EditorState): void
  /** Draws everything again, even rows that have not changed. */
  redraw(): void
  close(): void
}

const maxFps = 30

/** Makes a canvas. `isOurs`: whether the editor, and no other program, has the terminal. Otherwise nothing is drawn. */
export const openCanvas = (stdout: Pick<NodeJS.WriteStream, 'write'>, appearance: Appearance, isOurs: () => boolean): Canvas => {
  let latest: EditorState | undefined
  let drawnAt = Number.NEGATIVE_INFINITY
  let opened: { readonly ink: Instance; readonly output: InkOutput } | undefined
  const shown = appearance.ascii ? inAscii : (text: string) => text
  const show = (): void => {
    timer.stop()
    // Another program may have the terminal. When the editor takes the terminal again, it calls `redraw`.
    if (!latest || !isOurs()) return
    drawnAt = performance.now()
    const frame = (
      <Colour value={appearance.colour}>
        <Frame state={latest} />
      </Colour>
    )
    if (opened) opened.ink.rerender(frame)
    else opened = openInk(frame, inkOutput(stdout, latest.world.size, isOurs, shown))
  }
  const timer = new Timer(systemClock, show)
  const close = (): void => {
    opened?.output.close()
    opened?.ink.unmount()
    opened = undefined
  }
  return {
    draw(state) {
      latest = state
      const waits = drawnAt + 1_000 / maxFps - performance.now()
      if (!timer.isRunning && waits <= 0) show()
      else timer.startUnlessRunning(waits)
    },
    redraw() {
      close()
      show()
    },
    close() {
      timer.stop()
      latest = undefined
      close()
    },
  }
}

const openInk = (frame: ReactNode, output: InkOutput) => {
  const ink = render(frame, {
    stdout: output.stdout,
    incrementalRendering: true,
    // The canvas limits the number of frames before Ink makes them, so Ink needs no limit.
    maxFps: 0,
    patchConsole: false,
    exitOnCtrlC: false,
    isScreenReaderEnabled: false,
  })
  // A mistake in a view rejects this promise. The rejection stays unhandled, so that the editor ends as after any mistake of the program.
  void ink.waitUntilExit()
  return { ink, output }
}
