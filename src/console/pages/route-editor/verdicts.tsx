/** Shows what the edited route would do with the chosen payload: the outcome, the verdict of each condition, and the prompt or message. */

import type { JSX } from 'preact'
import { Change, Word } from '../parts.tsx'
import { shown, shownLines } from '../words.ts'
import type { PagePreview } from './route-state.ts'

export const Verdicts = ({ preview }: { readonly preview: PagePreview }): JSX.Element => {
  const { trace, untraced, prompt, extra } = preview
  return (
    <section aria-labelledby="verdicts">
      <h2 id="verdicts">With this payload</h2>
      {trace ? (
        <p>
          <Word word={trace.name} /> {trace.reason && shown(trace.reason)}{' '}
          <span class="quiet">
            {trace.stoppedAt === null ? '' : `at ${shown(trace.stoppedAt)}, `}answered {trace.answer.status}
          </span>
        </p>
      ) : (
        <p class="quiet">{shown(untraced)}</p>
      )}
      <Conditions preview={preview} />
      {trace?.stages.map(({ stage, change }) => (
        <Change key={stage} change={change} />
      ))}
      {prompt && (
        <>
          <h3>Prompt or message</h3>
          <pre tabIndex={0}>{shownLines(prompt.text)}</pre>
          {prompt.unresolved.length > 0 && <p class="wait">Without a value: {prompt.unresolved.map((each) => shown(each)).join(', ')}</p>}
          {prompt.cuts.length > 0 && <p class="quiet">Cut: {prompt.cuts.map((each) => shown(each)).join(', ')}</p>}
        </>
      )}
      {extra !== null && Object.keys(extra).length > 0 && (
        <>
          <h3>Delivery settings</h3>
          <pre tabIndex={0}>{shownLines(JSON.stringify(extra, null, 2))}</pre>
        </>
      )}
    </section>
  )
}

const Conditions = ({ preview: { trace, tallies, untallied } }: { readonly preview: PagePreview }): JSX.Element | null => {
  const judged = trace?.conditions ?? []
  if (judged.length === 0) return null
  return (
    <>
      <h3>Conditions</h3>
      <ul class="conditions">
        {judged.map(({ name, operator, field, operand, holds, seen, why }) => {
          const tally = tallies[name]
          return (
            <li key={name} class={holds ? 'pass' : 'stop'}>
              <code>{shown(name)}</code> {shown(field)} {shown(operator)} {shown(operand)}{' '}
              <strong>{holds ? 'holds' : 'does not hold'}</strong>
              {seen === undefined ? <span class="quiet"> {shown(why)}</span> : <span> saw {shown(seen)}</span>}
              {tally && (
                <span class="quiet">
                  {' '}
                  · holds for {tally.holds} of {tally.of} samples
                </span>
              )}
            </li>
          )
        })}
      </ul>
      {untallied > 0 && <p class="quiet">{untallied} samples were not tried.</p>}
    </>
  )
}
