/** The contract of mutations: each makes another request of a captured one. */

import type { Random } from '../../../bench/durability/random.ts'
import type { Genuine } from '../genuine.ts'
import type { Sent } from '../request.ts'
import type { Sender } from '../senders.ts'
import type { RouteSettings } from '../world.ts'

/** What a stranger knows: the captured request, who sent it, and who else may post to the route. */
export type Scene = {
  readonly random: Random
  readonly genuine: Genuine
  readonly sender: Sender
  /** Whose signature the stranger would like to have. */
  readonly other: Sender
  /** Where the stranger posts to. */
  readonly route: RouteSettings
}

/** `undefined` where it has nothing to change. */
export type Mutate = (sent: Sent, scene: Scene) => Sent | undefined

export type Mutation = { readonly name: string; readonly mutate: Mutate }
