/** Sends one reply to its target, or to several, and knows of each what became of it: a later attempt repeats none that has it. */

import { deliveriesOf } from '../parts/delivery.ts'
import type { Outgoing, Sent } from '../parts/part.ts'
import type { Delivery, NewRun, Progress } from '../store/ports.ts'

export type Delivering = {
  readonly run: NewRun
  readonly text: string
  /** Of the attempts before. */
  readonly progress: Progress | undefined
  /** The process ended while one was being sent: it may have arrived. */
  readonly interrupted: boolean
  readonly send: (outgoing: Outgoing) => Promise<Sent>
  /** Whether sending the same text twice to this target cannot post twice. */
  readonly repeatable: (target: string) => boolean
  /** Given when the time to stop is over: what may be repeated is not waited for any longer. */
  readonly signal: AbortSignal
  /** Stores how far it got. `false`: somebody else has the run now. */
  readonly keep: (progress: Progress) => Promise<boolean>
}

export type Delivered =
  | { readonly kind: 'done' }
  /** Nothing is left to try. */
  | { readonly kind: 'failed'; readonly error: string }
  /** `gaveUp`: on one of several, which is not to be tried again. */
  | { readonly kind: 'again'; readonly error: string; readonly retryAfterMs: number | undefined; readonly gaveUp: boolean }
  | { readonly kind: 'lost' }

const budgetMs = 60_000
const brokenOff = 'broken off by the stop'
const mayHaveArrived = 'the process ended while it was being delivered, and it may have arrived. Look, then retry by hand'

/** In order, one after the other: what a crash interrupts is then always the first that is still to do. */
export const deliver = async (delivering: Delivering): Promise<Delivered> => {
  const { run, interrupted, keep } = delivering
  const to = deliveriesOf(run.delivery)
  const isEnough = (progress: Progress): boolean =>
    'to' in run.delivery && run.delivery.mode === 'first_success' ? progress.includes(true) : progress.every((each) => each === true)
  const progress = to.map((_, i) => delivering.progress?.[i] ?? null)
  const open: Again[] = []
  const doubtful = interrupted ? progress.indexOf(null) : -1
  for (const place of to.keys()) {
    if (progress[place] !== null || isEnough(progress)) continue
    const became = await deliverOne(delivering, place, place === doubtful)
    if (typeof became === 'object') open.push(became)
    else progress[place] = became
    if (to.length > 1 && !(await keep(progress))) return { kind: 'lost' }
  }
  return isEnough(progress) ? { kind: 'done' } : unfinished(progress, open)
}

type Again = { readonly why: string; readonly waitMs: number }

/** Done, given up and why, or to be tried again. */
const deliverOne = async (
  { run, text, send, repeatable, signal }: Delivering,
  place: number,
  doubtful: boolean,
): Promise<true | string | Again> => {
  const { profile, route, deliveryId, job } = run
  const delivery = deliveriesOf(run.delivery)[place] as Delivery
  if (doubtful && !repeatable(delivery.target)) return `delivery to ${delivery.target}: ${mayHaveArrived}`
  const about = { profile, route, deliveryId, ...(job === undefined ? {} : { job }) }
  if (signal.aborted) return { why: brokenOff, waitMs: 0 }
  const sending = send({ text, ...about, delivery, place, budgetMs })
  const sent = await (repeatable(delivery.target) ? unlessStopped(sending, signal) : sending)
  if (sent.ok) return true
  const why = `delivery to ${delivery.target}: ${sent.why}`
  return sent.repeatable ? { why, waitMs: sent.retryAfterMs ?? 0 } : why
}

/** A delivery that goes out once more at the next start, under the same key. */
const unlessStopped = async (sending: Promise<Sent>, signal: AbortSignal): Promise<Sent> => {
  const stopped: Sent = { ok: false, why: brokenOff, repeatable: true }
  let stop = (): void => {}
  const broken = new Promise<Sent>((resolve) => {
    stop = () => resolve(stopped)
    signal.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([sending, broken])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

const unfinished = (progress: Progress, open: readonly Again[]): Delivered => {
  const given = progress.filter((each) => typeof each === 'string')
  const error = [...given, ...open.map(({ why }) => why)].join('; ')
  if (open.length === 0) return { kind: 'failed', error }
  return { kind: 'again', error, retryAfterMs: Math.max(...open.map(({ waitMs }) => waitMs)) || undefined, gaveUp: given.length > 0 }
}
