/**
 * `events show <id>`: prints how one event ended and its attempts first, then their prompts, calls of tools and replies, and then the
 * request. The values
 * of headers that name a secret are shown masked (`payloadOf`).
 */

import { exit, usage } from '../../core/fault.ts'
import { moneyText } from '../../core/money.ts'
import { printable } from '../../core/text.ts'
import { jsonText } from '../../datadir/json-text.ts'
import type { AttemptView } from '../../datadir/records/event-attempts.ts'
import { gatewayAt } from '../../http/control/client.ts'
import type { RawRequest } from '../../journal/record.ts'
import { bodyOf, describeDetail, type EventDetail, readEventDetail } from '../../operate/events/event-detail.ts'
import { type EventStatus, traceIdOfView } from '../../operate/events/event-status.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { bodyText } from './body-text.ts'

export type EventsShowOptions = { readonly body?: boolean; readonly raw?: boolean }

export const eventsShow = async (id: string, { body = false, raw = false }: EventsShowOptions, cli: Cli): Promise<number> => {
  if (body && raw) throw usage('give --body or --raw, not both')
  const { workspace } = cli
  const detail = await readEventDetail(workspace, gatewayAt(workspace), id)
  note(cli, ...detail.notices)
  if (raw) return writeBody(bodyOf(detail), cli)
  const command = `${workspace.self} events show ${detail.status.event.event_id}`
  return answer(cli, { kind: 'events.show', data: describeDetail(detail), text: eventText(detail, body, command) })
}

/** Writes the exact bytes of the body and nothing else. Where stdout is a terminal, throws a usage Fault: the bytes could control it. */
const writeBody = (body: Buffer, { io }: Cli): number => {
  if (io.isTty) throw usage('--raw writes bytes as a stranger sent them: send them to a file or a pipe')
  io.bytes(body)
  return exit.ok
}

const eventText = ({ status: known, attempts, repeated, payload }: EventDetail, withBody: boolean, command: string): string =>
  [
    statusLines(known),
    fieldLine('repeats', repeated && `${repeated.event_id} of ${repeated.at}`),
    ...attempts.map(attemptLine),
    wordsText(attempts, `${command} --json`),
    requestText(payload, withBody, command),
  ].join('')

const maxValue = 1_024
const fieldLine = (name: string, value: string | number | undefined): string =>
  value === undefined || value === '' ? '' : `${name.padEnd(12)}${printable(String(value), maxValue)}\n`

const statusLines = ({ event, state, attempt, nextAt, error }: EventStatus): string =>
  [
    fieldLine('id', event.event_id),
    fieldLine('error', error),
    fieldLine('time', event.at),
    fieldLine('profile', event.profile),
    fieldLine('route', event.route),
    fieldLine('job', event.job),
    fieldLine('agent', event.agent),
    fieldLine('event', event.event_type),
    fieldLine('delivery id', event.delivery_id),
    fieldLine('outcome', event.outcome),
    fieldLine('reason', event.reason),
    fieldLine(
      'unverified',
      event.unverified && 'kept as a stranger sent it; events replay verifies it with the keys of now, and runs it only if it holds',
    ),
    fieldLine('trace', traceIdOfView(event)),
    fieldLine('stage', event.stage),
    fieldLine('status', event.status),
    fieldLine('took', event.duration_ms === undefined ? undefined : `${event.duration_ms} ms`),
    fieldLine('item', event.batch_of === undefined ? undefined : `${event.batch_index} of the request ${event.batch_of}`),
    fieldLine('dispatched by', event.dispatched_by),
    fieldLine('replay of', event.edited ? `${event.replay_of} (edited)` : event.replay_of),
    fieldLine(
      'group',
      event.group === undefined ? undefined : `${event.group}${event.count === undefined ? '' : ` (${event.count} events)`}`,
    ),
    fieldLine('state', state === 'unknown' ? 'unknown: the gateway has no run of it, and its end is not in the journal' : state),
    fieldLine('target', event.target),
    fieldLine('answer', event.answer),
    fieldLine('attempts', attempt || undefined),
    fieldLine(attempt > 0 ? 'next try' : 'due', nextAt),
    fieldLine('ended', event.ended_at),
    fieldLine('silent', event.silent ? 'the agent asked for nothing to be sent' : undefined),
  ].join('')

const attemptLine = ({ at, end, attempt, error, target, answer: said, silent, usage }: AttemptView): string => {
  if (end === 'retried') return fieldLine('retried', `${at}  by hand`)
  const how = end === 'failed' ? error : [end, end === 'done' ? (silent ? 'silent' : target) : error].join(': ')
  return fieldLine(`try ${attempt}`, [at, how, ...(said === null ? [] : [`answer ${said}`]), ...usageWords(usage)].join('  '))
}

/** Returns the usage of an attempt in words: `3 steps, 1200 + 80 tokens, cost 0.0043, web_search 2`. */
const usageWords = (usage: AttemptView['usage']): readonly string[] => {
  if (!usage) return []
  const { steps, input_tokens, output_tokens, cost, cost_told, tools, session, refused } = usage
  const called = Object.entries(tools).map(([name, count]) => `${name} ${count}`)
  const costs = cost === undefined ? [] : [`cost ${moneyText(cost)}${cost_told ? ' as the agent says' : ''}`]
  const told = [...(session === undefined ? [] : [`session ${session}`]), ...(refused ? [`refused ${refused.join(', ')}`] : [])]
  return [[`${steps} step${steps === 1 ? '' : 's'}`, `${input_tokens} + ${output_tokens} tokens`, ...costs, ...called, ...told].join(', ')]
}

/** Returns prompt, calls of tools and reply of each attempt. A text that is the same as in the attempt before is left out. */
const wordsText = (attempts: readonly AttemptView[], command: string): string => {
  const last = { prompt: '', reply: '' }
  const shown = (each: AttemptView, name: 'prompt' | 'reply'): string => {
    const text = each[name]
    if (text === null || text === last[name]) return ''
    last[name] = text
    return `\n${name} of try ${each.attempt}\n${bodyText(Buffer.from(text), command)}`
  }
  return attempts.map((each) => `${shown(each, 'prompt')}${toolCallsText(each, command)}${shown(each, 'reply')}`).join('')
}

const toolCallsText = ({ attempt, tool_calls }: AttemptView, command: string): string =>
  tool_calls
    .map(({ tool, toolset, ok, duration_ms, input, result }) => {
      const name = toolset === tool ? tool : `${tool} of ${toolset}`
      const end = ok === null ? 'not ended' : `${ok ? 'ok' : 'failed'}, ${duration_ms} ms`
      const texts = [input, result].filter((text) => text !== null).map((text) => bodyText(Buffer.from(text), command))
      return `\ntool of try ${attempt}: ${printable(name ?? '')}, ${end}\n${texts.join('')}`
    })
    .join('')

/**
 * Returns path, query and headers of the request, and its body with `withBody`. Otherwise only the size of the body is shown, because a
 * long body would push the event's end off the screen. A `payload` that is a text says why there is no request.
 */
const requestText = (payload: RawRequest | string, withBody: boolean, command: string): string => {
  if (typeof payload === 'string') return fieldLine('payload', payload)
  const headers = Object.entries(payload.headers).map(
    ([name, value]) => `${printable(name, 256)}: ${printable(typeof value === 'string' ? value : jsonText(value), maxValue)}\n`,
  )
  const { method = 'POST', pathAndQuery, body } = payload
  const line = pathAndQuery === undefined ? '' : `${printable(method, 16)} ${printable(pathAndQuery, maxValue)}\n`
  if (withBody) return `\n${line}${headers.join('')}\n${bodyText(body, `${command} --raw`)}`
  return `\n${line}${headers.join('')}\n${fieldLine('body', body.length === 0 ? 'empty' : `${body.length} bytes: ${command} --body`)}`
}
