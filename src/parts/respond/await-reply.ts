/**
 * Compiles `respond` of a route whose answer waits for the reply of the run (`wait_seconds`). The run is committed first, as on every route:
 * whatever becomes of the waiting request, the run goes on.
 */

import { hourMs } from '../../core/clock.ts'
import type { AwaitReply } from '../../core/plan.ts'
import { cut } from '../../core/text.ts'
import { isJsonType } from '../../expr/escape.ts'
import type { Route } from '../../generated/config.ts'
import { defaults } from '../../generated/defaults.ts'
import { replyPlaceholder } from '../body-pieces.ts'
import type { StageKit } from '../stages/stage.ts'
import { compileAnswerBody } from './answer-body.ts'

/** How long before its own deadline a sender gets the answer, in seconds, so that the answer arrives in time. */
const marginSeconds = 0.5

/** Returns the time from a request's head to its answer, in seconds: at most that of the sender, less a margin. */
export const longestWait = (waitSeconds: number, senderSeconds: number | undefined): number =>
  Math.min(waitSeconds, senderSeconds === undefined ? waitSeconds : senderSeconds - marginSeconds)

/** The longest reply in an answer, in UTF-16 units. */
const maxReplyUnits = 65_536

// Terminals act on these characters. Tab, line feed and carriage return are left.
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/** A model wrote the reply, under the influence of strangers. In JSON, controls are escaped; elsewhere they are left out. */
const presentable = (reply: string, type: string): string => {
  const shown = cut(reply, maxReplyUnits)
  return isJsonType(type) ? shown : shown.replace(controls, '')
}

type Respond = NonNullable<Route['respond']>

/**
 * Returns the function that begins the wait; `undefined` where nobody waits, as in dry runs. `senderSeconds`: how long the sender waits by
 * itself. Mistakes in the body are reported.
 */
export const compileAwaitReply = (
  respond: Respond & { readonly wait_seconds: number },
  kit: StageKit,
  senderSeconds: number | undefined,
): AwaitReply | undefined => {
  const { status, max_waiting: most, status_hours: hours } = { ...defaults.respond, ...respond }
  const { type, fill } = compileAnswerBody({ body: replyPlaceholder, ...respond }, replyPlaceholder, ['respond'], kit)
  const { replies, clock } = kit.effects
  if (!replies) return undefined
  const waitMs = longestWait(respond.wait_seconds, senderSeconds) * 1000
  const folder = kit.path.slice(0, -kit.name.length)
  const headers = { 'X-Content-Type-Options': 'nosniff' }
  return (event) => {
    const { eventId, route, at } = event
    // The sender's time-out began when its request came, and reading the body or a script may have taken long.
    const wait = { eventId, route, waitMs: waitMs - (clock.now() - at), most }
    const awaited = wait.waitMs > 0 ? replies.begin(wait) : undefined
    const withReply = awaited && fill(event)
    return {
      lateHeaders: { Location: `${folder}status/${replies.token(eventId, hours * hourMs)}` },
      send(write) {
        if (!awaited || !withReply) return write(undefined)
        awaited.whenKnown((reply) => {
          if (reply === '') return write({ status: 204, body: '', type, headers })
          const body = reply && withReply(presentable(reply, type))
          write(body === undefined ? undefined : { status, body, type, headers })
        })
      },
      leave: () => awaited?.leave(),
    }
  }
}
