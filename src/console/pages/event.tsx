/**
 * The screen of one event: its facts, its attempts and texts, the verdicts of the stages of the present route, and the actions on the
 * event.
 */

import type { JSX } from 'preact'
import { exactJson } from '../../core/exact-json.ts'
import type { ExactJson } from '../../core/json.ts'
import { moneyText } from '../../core/money.ts'
import type { ConsoleAnswers } from '../answers/answers.ts'
import { ask, may, NoAnswer } from './ask.ts'
import { EventActions } from './event-actions.tsx'
import { Change, Failure, Notices, useAsked, Word } from './parts.tsx'
import { PayloadTree } from './payload-tree.tsx'
import { pageAddress } from './router.ts'
import { milliseconds, outcome, shown, shownLines, time } from './words.ts'

type Detail = ConsoleAnswers['event']
type EventContent = ConsoleAnswers['content']

export const EventScreen = ({ id }: { readonly id: string }): JSX.Element => {
  const { answer, failure, again } = useAsked(id, (signal) => askWhenRecorded(id, signal))
  const content = useAsked(`${id} ${may('payloads')}`, async (signal) => (may('payloads') ? ask('content', { id }, signal) : undefined))
  const readAgain = (): void => {
    again()
    content.again()
  }
  if (!answer) return failure ? <Failure failure={failure} again={again} /> : <p class="quiet">Reading…</p>
  const { event, attempts, notices, repeats } = answer
  return (
    <section aria-labelledby="title">
      <header class="bar">
        <h1 id="title">
          {shown(event.route || `job ${event.job}`)} <span class="quiet">{shown(event.event_type)}</span>
        </h1>
        <Word word={event.outcome}>{outcome(event)}</Word>
        {event.state !== 'final' && <Word word={event.state} />}
        <button type="button" onClick={readAgain}>
          Read again
        </button>
      </header>
      {failure && <Failure failure={failure} again={again} />}
      <Notices notices={notices} />
      <Facts event={event} repeats={repeats} />
      <EventActions event={event} request={content.answer?.request} done={readAgain} />
      {may('payloads') && event.route !== '' && event.payload_kept && <Trace id={event.event_id} route={event.route} />}
      {attempts.length > 0 && <Attempts attempts={attempts} texts={content.answer?.texts} />}
      {content.failure && <Failure failure={content.failure} again={content.again} />}
      {content.answer && <Request content={content.answer} />}
    </section>
  )
}

/** The time between two polls for an event that is not recorded yet, in milliseconds, and the number of polls after the first. */
const lookMs = 300
const looks = 5

/** Reads an event. The record of a replay is written a moment after the answer to the replay, so the first poll may not find the event. */
const askWhenRecorded = async (id: string, signal: AbortSignal, left = looks): Promise<Detail> => {
  try {
    return await ask('event', { id }, signal)
  } catch (error) {
    if (left === 0 || !(error instanceof NoAnswer && error.status === 404)) throw error
    await new Promise((resolve) => setTimeout(resolve, lookMs))
    return askWhenRecorded(id, signal, left - 1)
  }
}

const Facts = ({ event, repeats }: Pick<Detail, 'event' | 'repeats'>): JSX.Element => {
  const {
    event_id,
    delivery_id,
    at,
    reason,
    error,
    answer,
    status,
    duration_ms,
    target,
    group,
    count,
    replay_of,
    batch_of,
    batch_index,
    dispatched_by,
    next_at,
    ended_at,
    ended_by,
    agent,
    trace_id,
  } = event
  const facts: readonly (readonly [name: string, value: JSX.Element | string | null])[] = [
    ['Arrived', time(at)],
    ['Event', event_id],
    ['Delivery id', delivery_id],
    ['Answered', status === null ? null : `${status} in ${milliseconds(duration_ms)}`],
    ['Reason', reason],
    ['Error', error],
    ['Agent', agent],
    ['Target', target],
    ["Target's answer", answer],
    ['Next attempt', next_at && time(next_at)],
    ['Ended', ended_at && time(ended_at)],
    ['Ended by', ended_by && <a href={`/events/${encodeURIComponent(ended_by)}`}>{shown(ended_by)}</a>],
    ['Group', group && count !== null ? `${group} (${count} events)` : group],
    ['Repeats', repeats && <a href={`/events/${encodeURIComponent(repeats)}`}>{shown(repeats)}</a>],
    ['Replay of', replay_of && <a href={`/events/${encodeURIComponent(replay_of)}`}>{shown(replay_of)}</a>],
    ['Item', batch_of && <a href={`/events/${encodeURIComponent(batch_of)}`}>{`${batch_index} of the request ${shown(batch_of)}`}</a>],
    ['Dispatched by', dispatched_by],
    ['Trace', trace_id],
  ]
  return (
    <dl class="facts">
      {facts.flatMap(([name, value]) =>
        value === null || value === ''
          ? []
          : [<dt key={name}>{name}</dt>, <dd key={`${name} is`}>{typeof value === 'string' ? shown(value, 2_000) : value}</dd>],
      )}
    </dl>
  )
}

const Attempts = ({ attempts, texts }: Pick<Detail, 'attempts'> & { readonly texts: EventContent['texts'] | undefined }): JSX.Element => (
  <>
    <h2>Attempts</h2>
    <ol class="attempts">
      {attempts.map(({ at, end, attempt, error, next_at, target, answer, usage }, i) => (
        <li key={`${at} ${end} ${attempt}`}>
          <time dateTime={at}>{time(at)}</time> {attempt !== null && `attempt ${attempt}: `}
          <Word word={end} /> {target && `to ${shown(target)}`} {shown(error ?? answer, 2_000)}
          {next_at && <span class="quiet"> next {time(next_at)}</span>}
          {usage && (
            <span class="quiet">
              {` ${usage.input_tokens} + ${usage.output_tokens} tokens in ${usage.steps} steps`}
              {usage.cost !== undefined && `, cost ${moneyText(usage.cost)}${usage.cost_told ? ' as the agent says' : ''}`}
              {usage.session !== undefined && `, session ${shown(usage.session)}`}
              {usage.refused && `, refused ${shown(usage.refused.join(', '))}`}
            </span>
          )}
          <Text name="Prompt" text={texts?.[i]?.prompt ?? null} />
          <ToolCalls calls={texts?.[i]?.tool_calls ?? []} />
          <Text name="Reply" text={texts?.[i]?.reply ?? null} />
        </li>
      ))}
    </ol>
  </>
)

const ToolCalls = ({ calls }: { readonly calls: EventContent['texts'][number]['tool_calls'] }): JSX.Element | null =>
  calls.length === 0 ? null : (
    <details>
      <summary>
        Calls of tools <span class="quiet">{calls.length}</span>
      </summary>
      <ol class="attempts">
        {calls
          .map((call, i) => ({ ...call, number: i + 1 }))
          .map(({ number, tool, toolset, ok, duration_ms, input, result }) => (
            <li key={number}>
              {shown(tool ?? '')} <span class="quiet">{toolset !== tool && shown(toolset ?? '')}</span>{' '}
              <Word word={ok === null ? 'waiting' : ok ? 'done' : 'failed'} />
              {duration_ms !== null && <span class="quiet"> {milliseconds(duration_ms)}</span>}
              <Text name="Input" text={input} />
              <Text name="Result" text={result} />
            </li>
          ))}
      </ol>
    </details>
  )

const Text = ({ name, text }: { readonly name: string; readonly text: string | null }): JSX.Element | null =>
  text === null ? null : (
    <details>
      <summary>
        {name} <span class="quiet">{text.length.toLocaleString()} characters</span>
      </summary>
      <pre tabIndex={0}>{shownLines(text)}</pre>
    </details>
  )

const parsed = (body: string): { readonly json: ExactJson } | undefined => {
  try {
    return { json: exactJson(body) }
  } catch {
    return undefined
  }
}

const Request = ({ content: { request, not_kept } }: { readonly content: EventContent }): JSX.Element => {
  const { headers, body, body_base64, body_bytes } = request
  if (not_kept !== null) return <p class="quiet">The payload is {shown(not_kept)}.</p>
  const json = body === null ? undefined : parsed(body)
  return (
    <>
      <h2>Payload</h2>
      {json ? (
        <PayloadTree value={json.json} />
      ) : (
        <pre tabIndex={0}>{body === null ? `${body_bytes} bytes, in base64: ${body_base64}` : shownLines(body)}</pre>
      )}
      <h2>Headers</h2>
      <dl class="facts">
        {Object.entries(headers ?? {}).flatMap(([name, value]) => [
          <dt key={name}>{shown(name)}</dt>,
          <dd key={`${name} is`}>{shown([value].flat().map(String).join(', '), 2_000)}</dd>,
        ])}
      </dl>
    </>
  )
}

/** Returns the stages that were skipped, by the reason. */
const skippedStages = (stages: ConsoleAnswers['trace']['stages']): readonly (readonly [reason: string, stages: readonly string[]])[] => {
  const byReason = new Map<string, string[]>()
  for (const { stage, result, reason = 'left out' } of stages)
    if (result === 'skip') byReason.set(reason, [...(byReason.get(reason) ?? []), stage])
  return [...byReason]
}

const Trace = ({ id, route }: { readonly id: string; readonly route: string }): JSX.Element => {
  const { answer, failure, again } = useAsked(`${id} ${route}`, (signal) => ask('trace', { id, route }, signal))
  if (!answer) return failure ? <Failure failure={failure} again={again} /> : <p class="quiet">Tracing…</p>
  return (
    <>
      <h2>By the route as it is now</h2>
      <ol class="stages">
        {answer.stages
          .filter(({ result }) => result !== 'skip')
          .map(({ stage, result, reason, change }) => (
            <li key={stage} class={result}>
              <a href={pageAddress('/events', { route, outcome: `ignored:${stage}` })}>{shown(stage)}</a>{' '}
              <span class="result">{result}</span>
              {reason && <span class="reason">{shown(reason)}</span>}
              <Change change={change} />
            </li>
          ))}
      </ol>
      <p class="quiet">
        {skippedStages(answer.stages)
          .map(([reason, stages]) => `${reason}: ${stages.join(', ')}`)
          .join(' · ')}
      </p>
      {answer.notes.map((note) => (
        <p key={note} class="quiet">
          {shown(note)}
        </p>
      ))}
      {answer.conditions.length > 0 && (
        <ul class="conditions">
          {answer.conditions.map(({ name, operator, field, operand, holds, seen, why }) => (
            <li key={name} class={holds ? 'pass' : 'stop'}>
              <code>{shown(name)}</code> {shown(field)} {shown(operator)} {shown(operand)}{' '}
              <strong>{holds ? 'holds' : 'does not hold'}</strong>
              {seen === undefined ? shown(why) : <span class="quiet"> the value is {shown(seen)}</span>}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
