/**
 * Compiles `respond` of a route whose answer waits for the reply of the run (`wait_seconds`). The run is committed first, as on every route:
 * whatever becomes of the waiting request, the run goes on.
 */

import { hourMs } from '../../core/clock.ts'
import type { AwaitReply } from '../../core/plan.ts'
import type { Route } from '../../generated/config.ts'
import { defaults } from '../../generated/defaults.ts'
import { replyPlaceholder } from '../body-pieces.ts'
import type { StageKit } from '../stages/stage.ts'
import { templateKit } from '../template-kit.ts'
import { compileReplyBody } from './reply-body.ts'
import { reportExpressions } from './respond.ts'

/** How long before its own deadline a sender gets the answer, in seconds, so that the answer arrives in time. */
const marginSeconds = 0.5

/** Returns the time from a request's head to its answer, in seconds: at most that of the sender, less a margin. */
export const longestWait = (waitSeconds: number, senderSeconds: number | undefined): number =>
  Math.min(waitSeconds, senderSeconds === undefined ? waitSeconds : senderSeconds - marginSeconds)

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
  const { status, content_type: type, max_waiting: most, status_hours: hours } = { ...defaults.respond, ...respond }
  const body = respond.body ?? replyPlaceholder
  reportExpressions(body, ['respond'], kit)
  const bodyOf = compileReplyBody(body, type, templateKit(kit, ['respond', 'body']))
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
    const withReply = awaited && bodyOf(event)
    return {
      lateHeaders: { Location: `${folder}status/${replies.token(eventId, hours * hourMs)}` },
      send(write) {
        if (!awaited || !withReply) return write(undefined)
        awaited.whenKnown((reply) => {
          if (reply === undefined) write(undefined)
          else write(reply === '' ? { status: 204, body: '', type, headers } : { status, body: withReply(reply), type, headers })
        })
      },
      leave: () => awaited?.leave(),
    }
  }
}
