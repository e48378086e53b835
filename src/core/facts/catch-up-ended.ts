/** The fact that a catch-up of a route ended. */

/**
 * `since`: how far back it looked. `listed`: the deliveries in the sender's log since then. `asked`: those that the sender was asked to
 * send again, or that were pulled. `awaited`: those that the sender is to send. `refused`: those that the sender would not send again. `givenUp`: those that were sent again too often.
 * `why`: why it ended early, absent where it came to its end. `isElsewhere`: it ended early because another gateway on the store does it.
 * Times are wall times, milliseconds.
 */
export type CatchUpEnded = {
  readonly kind: 'catch_up_ended'
  readonly at: number
  readonly profile: string
  readonly route: string
  readonly from: string
  readonly since: number
  readonly listed: number
  readonly asked: number
  readonly awaited: number
  readonly refused: number
  readonly givenUp: number
  readonly why?: string | undefined
  readonly isElsewhere: boolean
}
