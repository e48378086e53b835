/** The findings about an edited route, with their fixes. */

import type { JSX } from 'preact'
import { Word } from '../parts.tsx'
import { shown } from '../words.ts'
import type { PagePreview } from './route-state.ts'
import type { Finding } from './text-editor.ts'

type FindingsProps = {
  readonly preview: PagePreview
  readonly goTo: (place: NonNullable<Finding['place']>) => void
  /** Applies the fix with this title; absent where the text cannot be changed. */
  readonly fix: ((title: string) => void) | undefined
}

export const FindingsList = ({ preview: { refused, findings, fixes }, goTo, fix }: FindingsProps): JSX.Element => (
  <section aria-labelledby="findings">
    <h2 id="findings">Findings</h2>
    {refused !== null && (
      <p class="failure" role="alert">
        {shown(refused, 2_000)}
      </p>
    )}
    {findings.length === 0 && refused === null && <p class="quiet">None.</p>}
    <FindingList findings={findings} goTo={goTo} />
    {fix &&
      [...new Set(fixes)].map((title) => (
        <button key={title} type="button" onClick={() => fix(title)}>
          Fix: {shown(title)}
        </button>
      ))}
  </section>
)

type Listed = Pick<Finding, 'code' | 'severity' | 'message'> & { readonly help?: string | null; readonly place?: Finding['place'] }

const words = { error: 'error', warning: 'warn', info: 'off' } as const

/** Shows the findings about a text. `goTo`: shows the place of a finding in the text; absent where the places are places in a file. */
export const FindingList = ({
  findings,
  goTo,
}: {
  readonly findings: readonly Listed[]
  readonly goTo?: FindingsProps['goTo']
}): JSX.Element | null =>
  findings.length === 0 ? null : (
    <ul class="findings">
      {findings.map(({ code, severity, message, help, place }) => (
        <li key={`${code} ${message}`}>
          <Word word={words[severity]}>{code}</Word> {shown(message, 2_000)}
          {help && <span class="quiet"> {shown(help, 2_000)}</span>}{' '}
          {goTo && place && (
            <button type="button" class="plain" onClick={() => goTo(place)}>
              line {place.line}
            </button>
          )}
        </li>
      ))}
    </ul>
  )
