/** Shows the differences between two texts, line by line. */

import type { JSX } from 'preact'
import type { Hunk } from '../../../app/line-diff.ts'

const marks = { same: ' ', added: '+', removed: '-' } as const

const numbered = (lines: Hunk['lines']) => lines.map((line, at) => ({ ...line, at }))

export const Diff = ({ hunks }: { readonly hunks: readonly Hunk[] }): JSX.Element | null =>
  hunks.length === 0 ? null : (
    <pre class="diff" tabIndex={0}>
      {hunks.map(({ head, lines }) => [
        <span key={head} class="quiet">{`${head}\n`}</span>,
        numbered(lines).map(({ kind, text, at }) => <span key={at} class={kind}>{`${marks[kind]} ${text}\n`}</span>),
      ])}
    </pre>
  )
