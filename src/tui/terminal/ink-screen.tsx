/** Shows frames with Ink. Nothing else of the editor knows Ink or React, which take longer to load than all before the first frame. */

import { EventEmitter } from 'node:events'
import { render, Transform } from 'ink'
import { moveTo } from './modes.ts'

/**
 * One text node, of which Ink knows how many rows it has. What stands in them it asks for when it draws:
 * a text that it knows it also measures, and keeps for ever, which for whole frames takes as long as drawing, and 10 kB for each.
 */
export const Frame = ({ rows }: { readonly rows: readonly string[] }) => (
  <Transform transform={(_, i) => rows[i] ?? ''}>{rows.map(() => ' ').join('\n')}</Transform>
)

export type Ink = {
  /** A frame with as many rows as the first one. */
  show(rows: readonly string[]): void
  /** Writes nothing more. */
  close(): void
}

/** At the top left of the terminal. `before` is written before the first frame. Rows are as wide as the terminal at most. */
export const openInk = (first: readonly string[], columns: number, before: string, write: (text: string) => void): Ink => {
  let isOpen = true
  let place = before
  const stdout = Object.assign(new EventEmitter(), {
    columns,
    write(text: string) {
      if (isOpen) write(`${place}${text}`)
      // Ink 6.8 goes up one row too few from below a frame, where it left the cursor.
      place = moveTo(first.length - 1)
    },
  })
  const instance = render(<Frame rows={first} />, {
    stdout: stdout as unknown as NodeJS.WriteStream,
    // Only the rows that changed.
    incrementalRendering: true,
    // Whoever calls `show` sees to that.
    maxFps: 0,
    patchConsole: false,
    exitOnCtrlC: false,
  })
  // A mistake in what is drawn is one of the program, which nobody but it takes.
  void instance.waitUntilExit()
  return {
    show: (rows) => instance.rerender(<Frame rows={rows} />),
    close() {
      isOpen = false
      instance.unmount()
    },
  }
}
