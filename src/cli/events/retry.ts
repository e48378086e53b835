/** `events retry`: the stored work of dead runs again, from its first attempt. */

import { standingsOf } from '../../app/events.ts'
import type { KnownEvent } from '../../app/known-event.ts'
import type { RunningGateway } from '../../app/running-gateway.ts'
import { exit, usage } from '../../core/fault.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli } from '../shell/output.ts'
import { aboutOf, chosen, confirm, countsOf, each, type Result } from './bulk.ts'
import type { SelectionOptions } from './selection.ts'
import { cell } from './view.ts'

export type RetryOptions = Omit<SelectionOptions, 'state' | 'outcome'> & {
  readonly dead?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

type Plan = { readonly dead: readonly KnownEvent[]; readonly others: readonly Result[] }

export const eventsRetry = async (ids: readonly string[], options: RetryOptions, cli: Cli): Promise<number> => {
  const { dead = false, dryRun = false, yes = false, ...selection } = options
  if (ids.length === 0 && !dead) throw usage('which events? give their ids, or --dead for all dead runs')
  const events = await chosen(ids, dead ? { ...selection, state: ['dead'] } : selection, cli)
  const gateway = await gatewayAt(cli.workspace).need()
  const plan = await planOf(events, dead, gateway)
  if (dryRun)
    return report(
      plan.dead.map((known) => ({ known, ok: true })),
      plan,
      true,
      cli,
    )
  if (dead && plan.dead.length > 0) {
    if (!yes)
      cli.io.stderr(
        `${tableOf(
          plan.dead.map((known) => ({ known, ok: true })),
          'starts',
        )}`,
      )
    await confirm(`start ${countsOf(plan.dead)}?`, yes, cli)
  }
  return report(await each(plan.dead, (known) => retry(known, gateway)), plan, false, cli)
}

/** Only dead runs start again; of a selection the others are none of it, of given ids they are failures. */
const planOf = async (events: readonly KnownEvent[], isSelection: boolean, gateway: RunningGateway): Promise<Plan> => {
  const standings = await standingsOf(
    gateway,
    events.map(({ event }) => event),
  )
  const isDead = ({ event }: KnownEvent): boolean => standings.get(event.event_id)?.state === 'dead'
  const others = isSelection ? [] : events.filter((each) => !isDead(each)).map((each) => ({ known: each, ok: false, why: whyNot(each) }))
  return { dead: events.filter(isDead), others }
}

const whyNot = ({ event, state }: KnownEvent): string => {
  if (state === 'waiting' || state === 'running') return `it is not dead: ${state}`
  if (state === 'dead') return 'its stored work is not kept any more: events replay starts it anew'
  // A new id would send it to those of a list that have it, too.
  if (event.outcome === 'delivery_failed')
    return 'its sender was told, and may repeat it; events replay --same-id sends it to those without it'
  return `no dead run is kept of it (${state}): events replay starts it anew`
}

const retry = async ({ event }: KnownEvent, gateway: RunningGateway): Promise<Omit<Result, 'known'>> =>
  (await gateway.retry(event.event_id)) ? { ok: true } : { ok: false, why: 'it is not dead any more' }

const report = (done: readonly Result[], { others }: Plan, dryRun: boolean, cli: Cli): number => {
  const results = [...done, ...others]
  const failed = results.filter(({ ok }) => !ok).length
  const started = results.length - failed
  const word = dryRun ? 'would start' : 'started'
  return answer(cli, {
    kind: 'events.retry',
    data: { dry_run: dryRun, runs: results.map((result) => describe(result, word)), summary: { started: dryRun ? 0 : started, failed } },
    text: `${tableOf(results, word)}${started} ${word}${failed > 0 ? `, ${failed} failed` : ''}\n`,
    exitCode: failed > 0 ? exit.no : exit.ok,
  })
}

const describe = ({ known: { event }, ok, why }: Result, word: string) => ({
  event_id: event.event_id,
  route: event.route,
  job: event.job ?? null,
  target: event.target ?? null,
  result: ok ? word.replace(' ', '_') : 'failed',
  why: why ?? null,
})

const tableOf = (results: readonly Result[], word: string): string =>
  aligned(
    results.map(({ known, ok, why }) => [ok ? word : 'failed', ...aboutOf(known), ok ? `-> ${cell(known.event.target)}` : cell(why, 512)]),
  )
    .map((line) => `${line}\n`)
    .join('')
