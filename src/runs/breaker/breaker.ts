/**
 * The breaker of one target's address. Closed, it counts failures in a row. Open, it holds texts back until the next trial is due, because
 * the receiver is down, or because the receiver asked to wait. Half-open, the one text of the trial is on its way.
 */

import { backOff } from '../../core/turns/back-off.ts'
import { receiverState } from '../../parts/targets/delivery/receiver.ts'
import type { Sent } from '../../parts/targets/target.ts'

export type BreakerSettings = {
  /** The number of failures in a row that open a breaker, if they are failures of several texts. */
  readonly failures: number
  /** The longest wait between two trials, unless the receiver asks for a longer wait. */
  readonly longestWaitMs: number
}

/** The breaker of one address. Times are monotonic, in milliseconds. */
export interface Breaker {
  readonly state: 'closed' | 'open' | 'half_open'
  /** When the next trial is due. */
  readonly retryAt: number
  /** The last failure. */
  readonly reason: string
  /** Whether the last failures in a row are those of several texts. Then the receiver fails, and not one text. */
  readonly isSuspected: boolean
  /** Whether the breaker opened last only because the receiver asked to wait: too few texts have failed to say that the receiver is down. */
  readonly isAsked: boolean
  /** Whether a text may be sent now. `trial`: the text may be sent, and the breaker is half-open until the caller ends this trial. */
  begin(): 'free' | 'trial' | 'held'
  /**
   * Notes how a sending ended, and opens or closes the breaker accordingly. `text`: the key of the text that was sent. It differs for each
   * event and job, and is the same in all attempts to send one text.
   */
  end(sent: Sent, text: string, isTrial: boolean): void
  /** Makes the next trial of an open breaker due now. */
  tryNow(): void
  /** Closes the breaker for an operator, and forgets the failures in a row. */
  reset(): void
}

/** The longest wait before the first trial, in milliseconds. The wait doubles with each failed trial. */
const firstWaitMs = 10_000

type BreakerOptions = {
  readonly settings: () => BreakerSettings
  readonly now: () => number
  readonly random: () => number
  /** Called after each change of the state, and when `tryNow` makes the next trial due. `isReset`: an operator closed the breaker. */
  readonly changed: (isReset: boolean) => void
}

/** The failures in a row. */
const createRow = (settings: () => BreakerSettings) => {
  let [failures, isSeveral, firstText]: [number, boolean, string | undefined] = [0, false, undefined]
  return {
    /** Whether the failures are those of several texts. */
    isSeveral: (): boolean => isSeveral,
    /** Whether the failures are enough to say that the receiver is down. */
    isDown: (): boolean => isSeveral && failures >= settings().failures,
    count(text: string): void {
      failures++
      firstText ??= text
      isSeveral ||= firstText !== text
    },
    clear(): void {
      ;[failures, isSeveral, firstText] = [0, false, undefined]
    },
  }
}

export const createBreaker = ({ settings, now, random, changed }: BreakerOptions): Breaker => {
  let [state, retryAt, reason]: [Breaker['state'], number, string] = ['closed', 0, '']
  let [trials, isAsked] = [0, false]
  const row = createRow(settings)

  const become = (next: Breaker['state'], isReset = false): void => {
    state = next
    changed(isReset)
  }
  /** Opens the breaker. The wait for the next trial has jitter, so that several gateways do not try at the same moment. */
  const open = (askedMs = 0): void => {
    const waitAfter = backOff({ first: firstWaitMs, most: settings().longestWaitMs, jitter: 0.5 })
    // A receiver that asks to wait need not be down. Unless it is known to be down, its next trial is due when the wait that it asked for
    // is over.
    const ownMs = askedMs > 0 && !row.isDown() ? 0 : Math.round(waitAfter(trials + 1, random))
    retryAt = now() + Math.max(askedMs, ownMs)
    isAsked = !row.isDown()
    become('open')
  }
  const close = (isReset = false): void => {
    const wasOpen = state !== 'closed'
    trials = 0
    row.clear()
    if (wasOpen) become('closed', isReset)
  }
  /** Delays the next trial until `until`, unless it is due later anyway. */
  const putOff = (until: number): void => {
    if (until <= retryAt) return
    retryAt = until
    if (state === 'open') become('open')
  }
  const makeDue = (): void => {
    retryAt = now()
    become('open')
  }

  return {
    get state() {
      return state
    },
    get retryAt() {
      return retryAt
    },
    get reason() {
      return reason
    },
    get isSuspected() {
      return row.isSeveral()
    },
    get isAsked() {
      return isAsked
    },
    begin() {
      if (state === 'closed') return 'free'
      if (state === 'half_open' || now() < retryAt) return 'held'
      become('half_open')
      return 'trial'
    },
    end(sent, text, isTrial) {
      const [receiver, isTrialOver] = [receiverState(sent), isTrial && state === 'half_open']
      if (sent.ok || receiver === 'up') return close()
      // Where the trial has not shown whether the receiver works, the next trial is due now.
      if (receiver === 'unknown') return isTrialOver ? makeDue() : undefined
      reason = sent.why
      row.count(text)
      if (isTrialOver) trials++
      if (isTrialOver || (state === 'closed' && (row.isDown() || sent.retryAfterMs))) open(sent.retryAfterMs)
      // The text was on its way when the breaker opened.
      else if (state !== 'closed') putOff(now() + (sent.retryAfterMs ?? 0))
    },
    tryNow() {
      if (state === 'open') makeDue()
    },
    reset: () => close(true),
  }
}
