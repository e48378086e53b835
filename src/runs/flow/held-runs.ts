/** The runs that this process gave back because their route is paused, so that they begin at once when the route is resumed. */

import type { GivenBack, Lease, RunId } from '../../store/ports.ts'

/** The most runs that are remembered. Any further run is due by itself after its wait. */
const maxHeld = 100_000
const runsPerStep = 1_000

export class HeldRuns {
  readonly #runs = new Map<RunId, GivenBack & { readonly route: string }>()

  add({ runId, fence, run: { route } }: Lease): void {
    if (this.#runs.size < maxHeld) this.#runs.set(runId, { runId, fence, route })
  }

  /** Notes that a run was taken. */
  delete(runId: RunId): void {
    this.#runs.delete(runId)
  }

  /** Returns the number of held runs of a route, as far as this process knows. */
  count(route: string): number {
    let count = 0
    for (const run of this.#runs.values()) if (run.route === route) count++
    return count
  }

  /** Removes the runs whose routes are not held any more, and returns them in steps for the store. */
  release(isHeld: (route: string) => boolean): readonly (readonly GivenBack[])[] {
    const released: GivenBack[] = []
    for (const run of this.#runs.values()) if (!isHeld(run.route)) released.push(run)
    for (const { runId } of released) this.#runs.delete(runId)
    return Array.from({ length: Math.ceil(released.length / runsPerStep) }, (_, i) =>
      released.slice(i * runsPerStep, (i + 1) * runsPerStep),
    )
  }
}
