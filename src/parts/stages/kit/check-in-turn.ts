/**
 * Runs costly checks of signatures in turn: a few in each turn of the event loop, so that they do not hold up other requests. The checks of
 * large bodies are costly. From a client whose signatures fail, the checks of all but small bodies count as costly, too. The requests of
 * that client are still checked, because honest clients may share its address. When too many checks wait already, the requests of such a
 * client are refused, and the check of any other client runs immediately.
 */

import { header } from '../../../core/headers.ts'
import { type Refused, refuse } from '../../../core/outcome.ts'
import type { VerifyBody } from '../../../core/plan.ts'
import type { RequestBody, RequestHead } from '../../../core/request.ts'
import type { NextStep } from '../../../core/turns/short-turns.ts'
import type { StageKit } from '../stage.ts'

/** The least bytes of a body whose check may wait. A smaller body is checked immediately: its check costs less than the waiting. */
const minWaitingBytes = 16_384
/** The least bytes of a large body. Its check waits for its turn, whoever sends the body, because the check takes milliseconds. */
const minLargeBytes = 262_144
const retryAfterSeconds = 60

/** Runs the signature checks of one route: a cheap check immediately, a costly check when its turn comes, if it may wait. */
export type ChecksInTurn = {
  /**
   * Called before the body is read. Refuses a request of a client whose signatures fail, when its check would have to wait and too many
   * checks wait already.
   */
  atHead(head: RequestHead): Refused | undefined
  /** Runs a check immediately or when its turn comes, or refuses as `atHead` does. In its turn, the check may be done in several steps. */
  run(head: RequestHead, body: RequestBody, verify: VerifyInSteps): ReturnType<VerifyBody>
}

/** Checks a body. `then`: does a further step of the check, perhaps in a later turn; absent when the check runs immediately. */
type VerifyInSteps = (body: RequestBody, then?: NextStep) => ReturnType<VerifyBody>

/** Makes the checks in turn of one route. `turns` limits the number of waiting checks, of all clients and of each client. */
export const checksInTurn = ({ name, adapter, effects: { limiter, turns } }: StageKit): ChecksInTurn => {
  const hasFailed = (head: RequestHead, bytes: number): boolean => bytes >= minWaitingBytes && limiter.hasFailed(name, head.remote)
  return {
    atHead(head) {
      const length = lengthIn(head) ?? adapter.max_body_bytes
      return hasFailed(head, length) && !turns.hasRoom(head.remote(), length) ? crowded : undefined
    },
    run(head, body, verify) {
      const { length } = body.bytes
      const isFailing = hasFailed(head, length)
      if (!isFailing && length < minLargeBytes) return verify(body)
      if (turns.hasRoom(head.remote(), length)) return turns.run(head.remote(), length, (then) => verify(body, then))
      return isFailing ? crowded : verify(body)
    },
  }
}

/** Returns the length of the body as its head announces it; `undefined` for a chunked body, which may be of any length. */
const lengthIn = ({ headers }: RequestHead): number | undefined => {
  const length = header(headers, 'content-length')
  return length === undefined ? undefined : Number(length)
}

/** The refusal of a client whose signatures fail, where too many checks wait. */
const crowded = refuse('rate_limited', {
  retryAfterSeconds,
  detail: 'signatures of this client failed, and too many more of its requests wait to be checked',
})
