/** How an attempt at a run ends: the worker makes the end, the store keeps it, and observers receive it unchanged. */

export type RunEnd =
  /** `silent`: the reply is empty, or the agent asked that nothing be sent. `to`: the targets that have the reply. */
  | { readonly kind: 'done'; readonly silent?: true; readonly to?: readonly string[] }
  | RunAgain
  | { readonly kind: 'dead'; readonly error: string }
  /**
   * The facts that `deliver_if` of the route asks about no longer hold, so the reply was not delivered. The store forgets the run, as it does
   * when a run is done.
   */
  | { readonly kind: 'stale'; readonly error: string }
  /**
   * An operator cancelled the run, a later event ended it (`by`: the id of the event), or it began too late. The store forgets the run, as it
   * does when a run is done: it was only taken to record the end.
   */
  | { readonly kind: 'cancelled' | 'expired'; readonly error: string; readonly by?: string }

/** The run is tried again after `afterMs` milliseconds. The store does not keep the last two members. */
export type RunAgain = {
  readonly kind: 'again'
  readonly afterMs: number
  readonly error: string
  /**
   * The attempt does not count: a stop aborted it, this process gave the run back, or the receiver of the reply fails with other texts too.
   */
  readonly uncounted?: true
  /** The run waits for a target that is down. */
  readonly waits?: true
  /** Nothing was begun, so the attempt leaves no record. `paused`: because the route of the run is paused. */
  readonly unbegun?: true | 'paused'
}

/** Returns the end of an attempt before which nothing was begun: the run goes back to the store for `afterMs` milliseconds. */
export const giveBack = (afterMs: number, error: string, unbegun: NonNullable<RunAgain['unbegun']> = true): RunAgain => ({
  kind: 'again',
  afterMs,
  error,
  uncounted: true,
  unbegun,
})
