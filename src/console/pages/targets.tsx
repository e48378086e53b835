/** The screen "Targets": where texts can go, and which targets are down. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ask, type NoAnswer } from './ask.ts'
import { asNoAnswer, Failure, Notices, useAsked, Word } from './parts.tsx'
import { may } from './rights.ts'
import { line, time } from './words.ts'

export const Targets = (): JSX.Element => {
  const { answer, failure, again } = useAsked('targets', (signal) => ask('targets', {}, signal))
  const [notReset, setNotReset] = useState<NoAnswer>()
  const reset = (target: string, address: string): void => {
    setNotReset(undefined)
    ask('resetBreaker', { target, ...(address === '' ? {} : { address }) }).then(again, (error) => setNotReset(asNoAnswer(error)))
  }
  return (
    <section aria-labelledby="title">
      <header class="bar">
        <h1 id="title">Targets</h1>
        <button type="button" onClick={again}>
          Read again
        </button>
      </header>
      {failure && <Failure failure={failure} again={again} />}
      {notReset && <Failure failure={notReset} />}
      {answer && (
        <>
          <Notices notices={answer.notices} />
          {answer.breakers === null && <p class="quiet">No gateway runs, so nobody knows which targets are down.</p>}
          <ul class="cards">
            {(answer.breakers ?? []).map(({ target, address, opened_at, retry_at, state, waiting, reason }) => (
              <li key={`${target} ${address}`}>
                <h2>
                  {line(target)} <span class="quiet">{line(address)}</span>
                </h2>
                <Word word="down">down since {time(opened_at)}</Word>
                <p>{line(reason, 1_000)}</p>
                <p>
                  {state === 'half_open' ? 'A trial is under way' : `Next trial ${time(retry_at)}`}, {waiting}{' '}
                  {waiting === 1 ? 'run waits' : 'runs wait'}
                </p>
                {may('operate') && (
                  <button type="button" onClick={() => reset(target, address)}>
                    Try it now
                  </button>
                )}
              </li>
            ))}
          </ul>
          <table>
            <thead>
              <tr>
                <th>Target</th>
                <th>State</th>
                <th>Home channel</th>
                <th>Connected by</th>
              </tr>
            </thead>
            <tbody>
              {answer.targets.map(({ name, state, missing, ways, home }) => (
                <tr key={name}>
                  <th scope="row">{line(name)}</th>
                  <td>
                    <Word word={state} /> {line(missing.join(', '))}
                  </td>
                  <td>{line(home)}</td>
                  <td class="quiet">{state === 'missing' && line(ways.join('; or '))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  )
}
