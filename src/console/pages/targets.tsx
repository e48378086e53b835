/** The screen "Targets": where texts can go, and which targets are down. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ConsoleAnswers } from '../answers/answers.ts'
import { ask, may, type NoAnswer } from './ask.ts'
import { asNoAnswer, Failure, Notices, ScreenHead, useAsked, Word } from './parts.tsx'
import { shown, time } from './words.ts'

export const TargetsScreen = (): JSX.Element => {
  const { answer, failure, again } = useAsked('targets', (signal) => ask('targets', {}, signal))
  const [notReset, setNotReset] = useState<NoAnswer>()
  const reset = (target: string, address: string): void => {
    setNotReset(undefined)
    ask('resetBreaker', { target, ...(address === '' ? {} : { address }) }).then(again, (error) => setNotReset(asNoAnswer(error)))
  }
  return (
    <section aria-labelledby="title">
      <ScreenHead title="Targets" again={again} />
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
                  {shown(target)} <span class="quiet">{shown(address)}</span>
                </h2>
                <Word word="down">down since {time(opened_at)}</Word>
                <p>{shown(reason, 1_000)}</p>
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
                {may('operate') && <th>Test</th>}
              </tr>
            </thead>
            <tbody>
              {answer.targets.map(({ name, state, missing, ways, home }) => (
                <tr key={name}>
                  <th scope="row">{shown(name)}</th>
                  <td>
                    <Word word={state} /> {shown(missing.join(', '))}
                  </td>
                  <td>{shown(home)}</td>
                  <td class="quiet">{state === 'missing' && shown(ways.join('; or '))}</td>
                  {may('operate') && (
                    <td>
                      <TestMessage target={name} profile={answer.profile} />
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  )
}

type Test = { readonly target: string; readonly profile: string }

/**
 * The test of a target. A first button asks whether a message can be sent; if so, a second button sends the message, and the answer of the
 * target is shown.
 */
const TestMessage = (test: Test): JSX.Element => {
  const [checked, setChecked] = useState<ConsoleAnswers['targetTest']>()
  const [tested, setTested] = useState<ConsoleAnswers['testTarget']>()
  const [failure, setFailure] = useState<NoAnswer>()
  const asking = <T,>(question: Promise<T>, use: (answer: T) => void): void => {
    setFailure(undefined)
    setTested(undefined)
    setChecked(undefined)
    question.then(use, (error) => setFailure(asNoAnswer(error)))
  }
  return (
    <>
      <button type="button" aria-label={`Test ${test.target}…`} onClick={() => asking(ask('targetTest', test), setChecked)}>
        Test…
      </button>
      {checked?.obstacle && <p>Nothing can be sent: {shown(checked.obstacle, 1_000)}</p>}
      {checked?.obstacle === null && (
        <button type="button" onClick={() => asking(ask('testTarget', test), setTested)}>
          {`Send a real message: “${checked.text}”`}
        </button>
      )}
      {tested && (
        <p role="status">
          <Word word={tested.ok ? 'sent' : 'failed'} /> {shown(tested.detail ?? '', 1_000)}
        </p>
      )}
      {failure && <Failure failure={failure} />}
    </>
  )
}
