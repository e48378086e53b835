/** Draws rows with Ink. Nothing else of the editor knows Ink or React, which take longer to load than all before the first frame. */

import { EventEmitter } from 'node:events'
import { render, Transform } from 'ink'

/**
 * One text node, of which Ink knows how many rows it has. What stands in them it asks for when it draws:
 * a text that it knows it also measures, and keeps for ever, which for whole frames takes as long as drawing, and 10 kB for each.
 */
export const Frame = ({ rows }: { readonly rows: readonly string[] }) => (
  <Transform transform={(_, i) => rows[i] ?? ''}>{rows.map(() => ' ').join('\n')}</Transform>
)

export type Ink = {
  /** The rows of a frame, as a terminal gets them. */
  draw(rows: readonly string[]): readonly string[]
  close(): void
}

export const openInk = (): Ink => {
  let written = ''
  const stdout = Object.assign(new EventEmitter(), {
    // Rows are as wide as they are; up to here Ink would fill them with blanks, and take those away again.
    columns: 1,
    write(text: string) {
      written = text
    },
  })
  const instance = render(<Frame rows={[]} />, {
    stdout: stdout as unknown as NodeJS.WriteStream,
    // Each rendering is handed over as it is, and at once.
    debug: true,
    patchConsole: false,
    exitOnCtrlC: false,
  })
  // A mistake in what is drawn is one of the program, which nobody but it takes.
  void instance.waitUntilExit()
  /** What came of the rows of the last frame. Ink takes each row apart, sign by sign: all of a large frame takes it 25 ms. Most keys change two rows, or move the others. */
  let known: ReadonlyMap<string, string> = new Map()
  const drawnOf = (rows: readonly string[]): readonly (readonly [string, string])[] => {
    if (rows.length === 0) return []
    instance.rerender(<Frame rows={rows} />)
    const drawn = written.split('\n')
    return rows.map((row, i) => [row, drawn[i] ?? ''])
  }
  return {
    draw(rows) {
      const drawn = new Map(drawnOf([...new Set(rows)].filter((row) => !known.has(row))))
      for (const row of rows) drawn.set(row, drawn.get(row) ?? known.get(row) ?? '')
      known = drawn
      return rows.map((row) => drawn.get(row) ?? '')
    },
    close: () => instance.unmount(),
  }
}
