/** A run as every store keeps it: a prompt, where the reply to it goes, and the group of events that it was merged from. */

import type { JsonObject } from './json.ts'
import type { Prompt, TextSpan } from './prompt.ts'
import type { Attachment, DeliveryFacts, GivenToAgent } from './request.ts'
import type { SessionName } from './session.ts'

/** A target's name, and in `extra` its `deliver_extra`, after the templates in it were filled in. */
export type Delivery = {
  readonly target: string
  readonly extra: JsonObject
  /**
   * The keys of `extra` whose values are secret. These values are never stored: they are read from the route or job again when the text is
   * sent.
   */
  readonly withheld?: readonly string[]
}

/** The targets of a text: one, or several. */
export type Destination = Delivery | Several

type Several = {
  /** `all`: the text goes to each target. `first_success`: in order, until a target has the text. */
  readonly mode: 'all' | 'first_success'
  readonly to: readonly Delivery[]
}

/**
 * The state of each of several deliveries: done (`true`), given up (the reason), failed for now (`false`), or without a result in this
 * attempt (`null`).
 */
export type DeliveryProgress = readonly (boolean | string | null)[]

/** The events of a group that its run is about (`keep` on the route; rules: Coalescing 2). */
export type KeptEvents = 'latest' | 'first' | 'all'

/** The group of events that a run was merged from. Absent for the run of a single event. */
export type Merged = {
  /** The id of the event that opened the group. The record of each event of the group names this id. */
  readonly group: string
  readonly count: number
  readonly keep: KeptEvents
  /**
   * With `keep: all`, the prompts in the order of their events. The oldest are left out past the bounds of the store. A prompt in which no
   * sender wrote more than a line is a bare text.
   */
  readonly prompts?: readonly (string | Prompt)[]
}

/** A file in a stored run. `data`: the file in base64, because a stored run is JSON. */
export type RunFile = Pick<Attachment, 'name' | 'type' | 'sha256'> & { readonly data: string }

/** Accepted work: a prompt, and where its reply goes. A run is kept small, because it is committed before the sender gets its answer. */
export type NewRun = {
  readonly eventId: string
  /** Absent for the usual priority. The stores read it from the text of the run, so it stands second there. */
  readonly priority?: 'high' | 'low'
  /**
   * The keys by which a later event of the route may end the work (`cancel_on`, `supersede`): one of 20 characters, or two with a blank
   * between them. The stores read them from the text of the run, so they stand right before `profile`.
   */
  readonly endKeys?: string
  readonly profile: string
  /** Empty for a run of a job that no event started. */
  readonly route: string
  readonly event: string
  readonly deliveryId: string
  /** As in `EventFacts`. */
  readonly itemBy?: 'values' | 'place'
  readonly prompt: string
  /** The parts of the prompt that a sender wrote and that are longer than a line. Absent where the prompt has none. */
  readonly untrusted?: readonly TextSpan[]
  readonly delivery: Destination
  /** The name of the agent of an event's run. Absent for the default agent, and for a job, whose agent its own settings say. */
  readonly agent?: string
  /** What the agent's program gets of the event besides the prompt. Absent where its agent asks for nothing. */
  readonly given?: GivenToAgent
  /** The files of the event. They are stored in the commit of the run, and are gone with it. Absent where there are none. */
  readonly files?: readonly RunFile[]
  /** When the run was accepted, in milliseconds since 1970. */
  readonly acceptedAt: number
  /** The id of the scheduled job behind the run. */
  readonly job?: string
  readonly merged?: Merged
  readonly session?: Pick<SessionName, 'key' | 'name'>
  /** Present where the reply is delivered only while a condition holds (`deliver_if`). */
  readonly deliverIf?: DeliveryFacts
  /** The `traceparent` that the event's request brought, where its route trusts it. Without it, the event's trace has the event's id. */
  readonly traceparent?: string
  /** The key by which the run is held to the `rate_limit` of its route (`when_over: queue`). Absent: the route itself. */
  readonly rateKey?: string
  /** An operator has cancelled the run, or a later event has ended it: it is only taken to record its end. */
  readonly cancelled?: true
  /** The id of the event that has ended the run. Present only beside `cancelled`. */
  readonly endedBy?: string
  /** The run reports the end of another run to the `callback` of its route. Its prompt is the text to post, and no agent is asked. */
  readonly callback?: true
  /** The run is a direct delivery that is tried again (`deliver_only` with `retry`). Its prompt is the text, and no agent is asked. */
  readonly direct?: true
}
