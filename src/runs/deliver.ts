/**
 * Sends one reply to its targets. Where a run has several targets, the progress at each target is stored, so that a later attempt leaves
 * out the targets that have the text.
 */

import type { Delivery, DeliveryProgress, NewRun } from '../core/new-run.ts'
import type { RunEnd } from '../core/run-end.ts'
import { deliveriesOf, deliveryLabel, partialFailureText } from '../parts/destination.ts'
import type { AlertNotice, Outgoing, Unsent } from '../parts/targets/target.ts'
import type { Sending } from './breaker/breakers.ts'

export type Delivering = {
  readonly run: Pick<NewRun, 'profile' | 'route' | 'deliveryId' | 'itemBy' | 'job' | 'delivery' | 'callback'>
  readonly text: string
  /** As in `Outgoing`. */
  readonly alerts?: readonly AlertNotice[] | undefined
  /** The place of the attempt in its trace. */
  readonly traceparent: string | undefined
  /** The progress of earlier attempts. */
  readonly progress: DeliveryProgress | undefined
  /** The attempt before this one was interrupted after the reply was stored, so one target may have the text already. */
  readonly interrupted: boolean
  /** The process ended during the attempt before this one. */
  readonly resumed: boolean
  /** An operator revived the run: targets that were given up are tried once more. */
  readonly revived: boolean
  readonly send: (outgoing: Outgoing) => Promise<Sending>
  /** Whether a text that is sent twice to this target is posted only once. */
  readonly repeatable: (target: string) => boolean
  /**
   * Aborts when the gateway stops and the time that it gives to runs in progress is over. A delivery that may be repeated is then aborted.
   */
  readonly signal: AbortSignal
  /** Called with the answer of each target that has the text, where it gave one. */
  readonly answered: (answer: string) => void
  /** Stores the progress. `false`: another worker has the run now. */
  readonly keep: (progress: DeliveryProgress) => Promise<boolean>
  /** Whether this worker still has the run. The store is asked only when the lease may have run out, so that another may have the run. */
  readonly isOurs: (progress: DeliveryProgress) => Promise<boolean>
}

/** What became of a text at its targets: the end of its run, unless it is to be tried again. `lost`: another worker has the run now. */
export type Delivered = Extract<RunEnd, { kind: 'done' | 'dead' }> | Undelivered | 'lost'

/** A text that is to be tried again at some of its targets. */
export type Undelivered = {
  readonly kind: 'again'
  readonly error: string
  /** The failures at these targets, by the position of the target. */
  readonly open: ReadonlyMap<number, Extract<Sending, Unsent>>
  /** The longest wait that one of them asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Whether a target was given up, and is not to be tried again. */
  readonly gaveUp: boolean
  /** Whether nothing was sent in this attempt. */
  readonly isUntried: boolean
}

/** The time that one target has to send the text, in milliseconds. */
const budgetMs = 60_000
const brokenOff = 'broken off by the stop'
const stopped = { ok: false, why: brokenOff, repeatable: true } as const
const mayHaveArrived = 'the process ended while it was being delivered, and it may have arrived. Look, then retry by hand'

/**
 * Sends the text to one target after the other, so that after a crash only one target is in doubt: the first whose progress is not stored.
 * Resolves when each target has the text, is given up, or is to be tried again; with `first_success`, when one has the text; and when
 * another worker has the run. Rejects where progress cannot be stored.
 */
export const deliver = async (delivering: Delivering): Promise<Delivered> => {
  const { run, keep } = delivering
  const to = deliveriesOf(run.delivery)
  const isEnough = (progress: DeliveryProgress): boolean =>
    'to' in run.delivery && run.delivery.mode === 'first_success' ? progress.includes(true) : progress.every((each) => each === true)
  const before = to.map((_, position) => delivering.progress?.[position] ?? null)
  const doubtful = delivering.interrupted ? before.indexOf(null) : -1
  const progress = reopened(delivering, before, doubtful)
  const whyNot = (position: number, { why }: Pick<Unsent, 'why'>): string => `delivery to ${deliveryLabel(to, position)}: ${why}`
  // For a sole target no progress is stored: the stored reply and the end of the run say enough.
  const kept = async (): Promise<boolean> => to.length === 1 || keep(progress)
  // A target that failed before is open again. This change is stored before anything is sent: otherwise, after a crash during the sending,
  // the target would still be stored as failed, and nobody would know that the target may have the text.
  if (progress.some((each, position) => each !== before[position]) && !(await kept())) return 'lost'
  const open = new Map<number, Extract<Sending, Unsent>>()
  let isUntried = true
  for (const position of to.keys()) {
    if (progress[position] !== null || isEnough(progress)) continue
    if (!(await delivering.isOurs(progress))) return 'lost'
    const sent = await deliverOne(delivering, position, position === doubtful)
    if (sent.outage !== 'held') isUntried = false
    if (sent.ok) progress[position] = true
    else if (!sent.repeatable) progress[position] = whyNot(position, sent)
    else {
      open.set(position, sent)
      progress[position] = false
    }
    if (!(await kept())) return 'lost'
  }
  const done = [...to.keys()].filter((position) => progress[position] === true)
  if (isEnough(progress)) return { kind: 'done', to: done.flatMap((position) => to[position]?.target ?? []) }
  const given = progress.filter((each) => typeof each === 'string')
  const failed = [...open].map(([position, sent]) => whyNot(position, sent))
  const error = partialFailureText(to, [...given, ...failed], done)
  if (open.size === 0) return { kind: 'dead', error }
  const retryAfterMs = Math.max(0, ...[...open.values()].map((sent) => sent.retryAfterMs ?? 0)) || undefined
  return { kind: 'again', error, open, retryAfterMs, gaveUp: given.length > 0, isUntried }
}

/**
 * Returns the progress that this attempt begins with. Failed targets are open again. A target in doubt is given up where a repeat could
 * post twice.
 */
const reopened = ({ run, revived, repeatable }: Delivering, before: DeliveryProgress, doubtful: number): (boolean | string | null)[] => {
  const to = deliveriesOf(run.delivery)
  return before.map((each, position) => {
    const { target } = to[position] as Delivery
    if (position === doubtful && !repeatable(target)) return `delivery to ${deliveryLabel(to, position)}: ${mayHaveArrived}`
    return each === false || (revived && typeof each === 'string') ? null : each
  })
}

/** Sends to one target. */
const deliverOne = async (delivering: Delivering, position: number, doubtful: boolean): Promise<Sending> => {
  const { run, text, alerts, traceparent, send, repeatable, resumed, signal } = delivering
  const { profile, route, deliveryId, itemBy, job, callback } = run
  const to = deliveriesOf(run.delivery)
  const delivery = to[position] as Delivery
  const source = { ...(itemBy === undefined ? {} : { itemBy }), ...(job === undefined ? {} : { job }), ...(callback ? { callback } : {}) }
  const about = {
    profile,
    route,
    deliveryId,
    ...source,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(alerts ? { alerts } : {}),
    ...(resumed ? { resumed } : {}),
  }
  if (signal.aborted) return stopped
  let mayStop = repeatable(delivery.target)
  const onlyOnce = (): void => {
    // The stop has aborted this delivery, and the next start of the gateway sends the text. The text must not go out now as well.
    if (signal.aborted) throw new Error(brokenOff)
    mayStop = false
  }
  const sending = send({ text, ...about, delivery, position, budgetMs, onlyOnce, ...(doubtful ? { doubtful } : {}) })
  const sent = await unlessStopped(sending, signal, () => mayStop)
  if (sent.ok && sent.detail !== undefined) delivering.answered(`${deliveryLabel(to, position)}: ${sent.detail}`)
  return sent
}

/**
 * Resolves to the answer of a delivery, or to a failure when a stop aborts the delivery. Only a delivery that may be repeated is aborted:
 * the next start of the gateway sends it again, under the same key, so that it cannot post twice.
 */
const unlessStopped = async (sending: Promise<Sending>, signal: AbortSignal, mayStop: () => boolean): Promise<Sending> => {
  let stop = (): void => {}
  const broken = new Promise<Sending>((resolve) => {
    stop = () => {
      if (mayStop()) resolve(stopped)
    }
    signal.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([sending, broken])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
