/** The screen "Health": the status of the gateway and of the gateways on its store, and the results of the checks of this machine. */

import { Fragment, type JSX } from 'preact'
import { useState } from 'preact/hooks'
import { catchUpProgress } from '../../features/catch-up/progress.ts'
import type { ConsoleAnswers } from '../answers/answers.ts'
import { ask, may, type NoAnswer } from './ask.ts'
import { asNoAnswer, Failure, ScreenHead, useAsked, Word } from './parts.tsx'
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
        {status.catch_ups?.map((each) => (
          <Fragment key={each.route}>
            <dt>Catch-up of {shown(each.route)}</dt>
            <dd>{shown(catchUpProgress(each), 1_000)}</dd>
          </Fragment>
        ))}
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
    {replicas === null && <p role="alert">The store does not answer, so nobody knows which gateways share it.</p>}
    {replicas && replicas.length > 0 && <Replicas replicas={replicas} />}
    {may('operate') && status && <Reload again={again} />}
  </>
)

const Replicas = ({ replicas }: { readonly replicas: NonNullable<Status['replicas']> }): JSX.Element => (
  <>
    <h2>
      Gateways on the store <span class="quiet">{replicas.length}</span>
    </h2>
    <table>
      <thead>
        <tr>
          <th>Gateway</th>
          <th>State</th>
          <th>Version</th>
          <th>Configuration</th>
          <th>At work</th>
          <th>Since</th>
          <th>Seen</th>
        </tr>
      </thead>
      <tbody>
        {replicas.map(({ id, self, host, pid, url, version, digest, runs, requests, started_at, seen_seconds, stopping, not_ready }) => (
          <tr key={id}>
            <th scope="row">
              {shown(`${host} ${pid}`)} <span class="quiet">{self ? 'this data directory' : shown(url)}</span>
            </th>
            <td>
              <Word word={stopping ? 'stopping' : not_ready === null ? 'ready' : 'not_ready'} /> {shown(not_ready ?? '')}
            </td>
            <td>{shown(version)}</td>
            <td>{shown(digest)}</td>
            <td>{`${runs} runs, ${requests} requests`}</td>
            <td>{time(started_at)}</td>
            <td>{`${seen_seconds} s ago`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </>
)

type Reloaded = { readonly isDone: boolean; readonly result: ConsoleAnswers['reload'] }

/** Reloads the files of the gateway. Shows first what a reload would change. */
const Reload = ({ again }: { readonly again: () => void }): JSX.Element => {
  const [failure, setFailure] = useState<NoAnswer>()
  const [reloaded, setReloaded] = useState<Reloaded>()
  const asking = (isDone: boolean): void => {
    setFailure(undefined)
    ask(isDone ? 'reload' : 'previewReload', {}).then(
      (result) => {
        setReloaded({ isDone, result })
        if (isDone) again()
      },
      (error) => setFailure(asNoAnswer(error)),
    )
  }
  const mayReload = reloaded !== undefined && !reloaded.isDone && reloaded.result.ok
  return (
    <div class="actions">
      <button type="button" onClick={() => asking(false)}>
        Reload the files…
      </button>
      {failure && <Failure failure={failure} />}
      {reloaded && <ReloadResult {...reloaded} />}
      {mayReload && (
        <button type="button" onClick={() => asking(true)}>
          Reload now
        </button>
      )}
    </div>
  )
}

const ReloadResult = ({ isDone, result: { ok, findings, changes, restart } }: Reloaded): JSX.Element => {
  const changed = Object.entries(changes).filter(([, names]) => names.length > 0)
  return (
    <div role="status">
      <p>{words[isDone ? 'done' : 'preview'][ok ? 'ok' : 'refused']}</p>
      <ul class="notices">
        {changed.map(([what, names]) => (
          <li key={what}>
            Routes {what}: {shown(names.join(', '), 1_000)}
          </li>
        ))}
        {!isDone && changed.length === 0 && <li>No configured route changes.</li>}
        {restart.length > 0 && <li>A restart is needed for {shown(restart.join(', '), 1_000)}</li>}
        {findings.map(({ code, severity, message }) => (
          <li key={`${code} ${message}`}>
            <Word word={severity === 'error' ? 'error' : 'warn'}>{code}</Word> {shown(message, 1_000)}
          </li>
        ))}
      </ul>
    </div>
  )
}

const words = {
  preview: { ok: 'A reload would take the files over.', refused: 'A reload would be refused.' },
  done: { ok: 'The gateway serves the files as they are now.', refused: 'Refused: the gateway goes on with what it had.' },
}
