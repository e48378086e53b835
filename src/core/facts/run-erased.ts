/** The fact that a run which waited was ended, because its event was erased. */

/** The run is without anything that its sender wrote. `at`: wall time, milliseconds. `attempts`: the number of attempts so far. */
export type RunErased = {
  readonly kind: 'run_erased'
  readonly at: number
  readonly run: {
    readonly eventId: string
    readonly profile: string
    readonly route: string
    readonly eventType: string
    readonly attempts: number
  }
}
