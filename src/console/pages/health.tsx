/** The screen "Health": what the gateway says of itself, and what the checks of this machine found. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ConsoleAnswers } from '../answers/answers.ts'
import { ask, type NoAnswer } from './ask.ts'
import { asNoAnswer, Failure, ScreenHead, useAsked, Word } from './parts.tsx'
import { may } from './rights.ts'
import { shown, time } from './words.ts'

export const HealthScreen = (): JSX.Element => {
  const { answer, failure, again } = useAsked('health', (signal) => ask('health', {}, signal))
  return (
    <section aria-labelledby="title">
      <ScreenHead title="Health" again={again} />
      {failure && <Failure failure={failure} again={again} />}
      {answer ? <Found found={answer} again={again} /> : !failure && <p class="quiet">Looking…</p>}
    </section>
  )
}

const Found = ({
  found: { checks, summary, status },
  again,
}: {
  readonly found: ConsoleAnswers['health']
  readonly again: () => void
}): JSX.Element => (
  <>
    {status ? <Gateways status={status} again={again} /> : <p>No gateway runs on this data directory. Start it: headgate gateway run</p>}
    <h2>
      Checks <span class="quiet">{`${summary.ok} ok, ${summary.warn} to look at, ${summary.fail} failed`}</span>
    </h2>
    <table>
      <tbody>
        {checks.map(({ name, result, message, fix }) => (
          <tr key={`${name} ${message}`}>
            <td>
              <Word word={result} />
            </td>
            <th scope="row">{shown(name)}</th>
            <td>
              {shown(message, 1_000)}
              {fix !== undefined && <p class="quiet">{shown(fix, 1_000)}</p>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </>
)

type Status = NonNullable<ConsoleAnswers['health']['status']>

const Gateways = ({
  status: { status, replicas, problems },
  again,
}: {
  readonly status: Status
  readonly again: () => void
}): JSX.Element => (
  <>
    <h2>Gateway</h2>
    {status && (
      <dl class="facts">
        <dt>Listens on</dt>
        <dd>{shown(status.url)}</dd>
        <dt>Running since</dt>
        <dd>{time(status.started_at)}</dd>
        <dt>Serves</dt>
        <dd>{`${status.routes} routes, ${status.jobs} jobs`}</dd>
        <dt>Waiting runs</dt>
        <dd>{status.backlog}</dd>
        <dt>Configuration</dt>
        <dd>
          {status.changed_files.length > 0
            ? `changed since it was read: ${shown(status.changed_files.join(', '), 1_000)}`
            : 'as in the files'}
          {status.need_restart.length > 0 && `; a restart is needed for ${shown(status.need_restart.join(', '), 1_000)}`}
        </dd>
      </dl>
    )}
    {(problems ?? []).map(({ message }) => (
      <p key={message} role="alert" class="failure">
        {shown(message, 1_000)}
      </p>
    ))}
    {replicas && replicas.length > 0 && <p>{`${replicas.length} gateways share the store.`}</p>}
    {may('operate') && status && <Reload again={again} />}
  </>
)

const Reload = ({ again }: { readonly again: () => void }): JSX.Element => {
  const [failure, setFailure] = useState<NoAnswer>()
  const [done, setDone] = useState<ConsoleAnswers['reload']>()
  const reload = (): void => {
    setFailure(undefined)
    ask('reload', {}).then(
      (answer) => {
        setDone(answer)
        again()
      },
      (error) => setFailure(asNoAnswer(error)),
    )
  }
  return (
    <div class="actions">
      <button type="button" onClick={reload}>
        Reload the files
      </button>
      {failure && <Failure failure={failure} />}
      {done && (
        <div role="status">
          <p>{done.ok ? 'The gateway serves the files as they are now.' : 'Refused: the gateway goes on with what it had.'}</p>
          <ul class="notices">
            {done.findings.map(({ code, severity, message }) => (
              <li key={`${code} ${message}`}>
                <Word word={severity === 'error' ? 'error' : 'warn'}>{code}</Word> {shown(message, 1_000)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
