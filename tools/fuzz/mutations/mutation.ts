/** The contract of mutations. A mutation makes a forged request of a captured one, as a stranger without the key could. */

import type { Random } from '../../../bench/durability/random.ts'
import type { Genuine } from '../genuine.ts'
import type { Sent } from '../request.ts'
import type { Sender } from '../senders.ts'
import type { RouteSettings } from '../world.ts'

/** What a mutation works with: the captured request, its sender, and the other sender that may post to the route. */
export type Scene = {
  readonly random: Random
  readonly genuine: Genuine
  readonly sender: Sender
  /** The sender whose signature the stranger needs for the route. */
  readonly other: Sender
  /** The route that the stranger posts to. */
  readonly route: RouteSettings
}

/** Returns the changed request; `undefined` where the request has nothing that this mutation changes. */
export type Mutate = (sent: Sent, scene: Scene) => Sent | undefined

export type Mutation = { readonly name: string; readonly mutate: Mutate }
