/** Shows the differences between two texts, line by line. */

import type { JSX } from 'preact'
import type { Hunk } from '../../datadir/line-diff.ts'
import { shownLines } from './words.ts'

const marks = { same: ' ', added: '+', removed: '-' } as const

const numbered = (lines: Hunk['lines']) => lines.map((line, at) => ({ ...line, at }))

/** Shows the changed lines; nothing where there are none. `label`: says what the two texts are, for those who do not see the screen. */
export const Diff = ({ hunks, label }: { readonly hunks: readonly Hunk[]; readonly label: string }): JSX.Element | null =>
  hunks.length === 0 ? null : (
    <section class="diff" aria-label={label} tabIndex={0}>
      {hunks.map(({ head, lines }) => (
        <pre key={head}>
          <span class="quiet">{`${head}\n`}</span>
          {numbered(lines).map(({ kind, text, at }) => (
            <span key={at} class={kind}>{`${marks[kind]} ${shownLines(text)}\n`}</span>
          ))}
        </pre>
      ))}
    </section>
  )
