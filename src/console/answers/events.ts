/** The answers about events: pages of events, one event with its contents, and the actions on an event. */

import { exit, Fault } from '../../core/fault.ts'
import { isJson } from '../../core/json.ts'
import { prettyJson } from '../../datadir/json-text.ts'
import { lineDiff } from '../../datadir/line-diff.ts'
import type { AttemptView } from '../../datadir/records/event-attempts.ts'
import type { ConsoleQuestions } from '../../generated/console.ts'
import { readCharts } from '../../operate/event-charts.ts'
import { chooseEvents } from '../../operate/events/event-batch.ts'
import { readEventDetail } from '../../operate/events/event-detail.ts'
import { readEventPage } from '../../operate/events/event-page.ts'
import { describePayload } from '../../operate/events/event-payload.ts'
import { editableBody, planReplay } from '../../operate/events/event-replay.ts'
import { planRetry } from '../../operate/events/event-retry.ts'
import { describeEvent } from '../../operate/events/event-status.ts'
import { cancelEvents } from '../../operate/events/runs/cancel-runs.ts'
import { checkOutcomes } from '../../operate/events/selection-words.ts'
import type { SignIn } from '../access/sign-ins.ts'
import { type AnswerSurroundings, needPayloadsRight, needSearchRight } from './surroundings.ts'

const pageSize = 50

type Asked<Name extends keyof ConsoleQuestions> = ConsoleQuestions[Name]

/** Returns JSON with each member on its own line, and any other text as it is, so that a comparison by lines finds the changed members. */
const onLines = (body: string): string => (isJson(body) ? prettyJson(body) : body)

/** Leaves out what senders and agents wrote: only the right `payloads` shows that. */
const withoutWords = ({ prompt, reply, tool_calls: _, ...attempt }: AttemptView) => ({
  ...attempt,
  has_prompt: prompt !== null,
  has_reply: reply !== null,
})

export const eventAnswers = ({ workspace, gateway, service, clock }: AnswerSurroundings) => ({
  charts: ({ span, route }: Asked<'charts'>) => readCharts(workspace, span, route, clock.now()),
  async events(criteria: Asked<'events'>, signIn: SignIn) {
    needSearchRight(signIn, criteria)
    checkOutcomes(criteria.outcome)
    const { events, next, notices, skipped } = await readEventPage(workspace, gateway, criteria, pageSize)
    return { events: events.map(describeEvent), next: next ?? null, notices, skipped }
  },
  async event({ id }: Asked<'event'>) {
    const { status, attempts, repeated, notices } = await readEventDetail(workspace, gateway, id)
    return {
      event: describeEvent(status),
      repeats: repeated?.event_id ?? null,
      attempts: attempts.map(withoutWords),
      notices,
    }
  },
  async content({ id }: Asked<'content'>) {
    const { attempts, payload } = await readEventDetail(workspace, gateway, id)
    return {
      request: describePayload(payload),
      not_kept: typeof payload === 'string' ? payload : null,
      texts: attempts.map(({ prompt, reply, tool_calls }) => ({ prompt, reply, tool_calls })),
    }
  },
  trace: ({ id, route }: Asked<'trace'>) => service.traceOf({ route, choice: { from: 'event', id } }),
  curl: async ({ id }: Asked<'curl'>) => ({ command: await service.curl({ eventId: id }) }),
  // A sample and a test hold the payload, and every user may see the tests in the text of a route.
  async asSample({ id, name }: Asked<'asSample'>, signIn: SignIn) {
    needPayloadsRight(signIn, 'keeping an event as a sample')
    return { message: await service.addSample({ eventId: id, name }) }
  },
  async asTest({ id }: Asked<'asTest'>, signIn: SignIn) {
    needPayloadsRight(signIn, 'keeping an event as a test')
    return { message: await service.addTest({ eventId: id }) }
  },
  async replay({ id, body, dry_run = false }: Asked<'replay'>, signIn: SignIn) {
    const { events } = await chooseEvents(workspace, gateway, [id], {})
    const plan = await planReplay(gateway, events, false)
    const [result] = await plan.run({ dry_run, ...(body === undefined ? {} : { body }) }, () => {})
    if (!result?.replayed) throw new Fault('not_replayed', `not replayed: ${result?.why ?? 'no such event'}`, { exitCode: exit.no })
    const { starts, ...replayed } = result.replayed
    const shown = starts && { mode: starts.mode, target: starts.target, prompt: starts.prompt }
    const before =
      dry_run && signIn.rights.has('payloads') && body !== undefined && events[0] ? await editableBody(workspace, events[0]) : undefined
    /** How the edited body differs from the recorded body; empty where it does not, and after a replay that was no dry run. */
    const diff = before === undefined || body === undefined ? [] : lineDiff(onLines(before), onLines(body))
    return { ok: result.ok, ...replayed, starts: shown ?? null, diff }
  },
  async cancel({ id }: Asked<'cancel'>) {
    const { events } = await chooseEvents(workspace, gateway, [id], {})
    const [result] = await cancelEvents(workspace, gateway, events, () => {})
    if (!result?.ok) throw new Fault('not_cancelled', `not cancelled: ${result?.why ?? 'no such event'}`, { exitCode: exit.no })
    return { cancelled: true }
  },
  async retry({ id }: Asked<'retry'>) {
    const { events } = await chooseEvents(workspace, gateway, [id], {})
    const { others, run } = await planRetry(workspace, gateway, events, false)
    const [result] = [...others, ...(await run(() => {}))]
    if (!result?.ok) throw new Fault('not_retried', `not retried: ${result?.why ?? 'no such event'}`, { exitCode: exit.no })
    return { retried: true }
  },
})
