/**
 * Lets costly checks wait for their turn: a few run in each turn of the event loop. Costly are the checks of large bodies, and, for a
 * client whose signatures fail, of all but small bodies. That client's requests are still checked, because others may share its address.
 * They are refused only when too many of them wait already.
 */

import { header } from '../../../core/headers.ts'
import { type Refused, refuse } from '../../../core/outcome.ts'
import type { VerifyBody } from '../../../core/plan.ts'
import type { RequestBody, RequestHead } from '../../../core/request.ts'
import type { NextStep } from '../../../core/turns/short-turns.ts'
import type { StageKit } from '../stage.ts'

/** A smaller body is checked at once: its check costs less than waiting would save. */
const leastBytes = 16_384
/** The check of a larger body waits for its turn, whoever sends it: it holds up all others for milliseconds. */
const largeBytes = 262_144
const retryAfterSeconds = 60

export type ChecksInTurn = {
  /** Refuses a request by its head, when it could only wait behind too many others. */
  atHead(head: RequestHead): Refused | undefined
  /** Runs the check at once, or in its turn. In its turn, it may be done in steps. */
  run(head: RequestHead, body: RequestBody, verify: VerifyInSteps): ReturnType<VerifyBody>
}

type VerifyInSteps = (body: RequestBody, then?: NextStep) => ReturnType<VerifyBody>

export const checksInTurn = ({ name, adapter, effects: { limiter, turns } }: StageKit): ChecksInTurn => {
  const hasFailed = (head: RequestHead, bytes: number): boolean => bytes >= leastBytes && limiter.hasFailed(name, head.remote)
  return {
    atHead(head) {
      const length = lengthIn(head) ?? adapter.max_body_bytes
      return hasFailed(head, length) && !turns.hasRoom(head.remote(), length) ? crowded : undefined
    },
    run(head, body, verify) {
      const { length } = body.bytes
      const isFailing = hasFailed(head, length)
      if (!isFailing && length < largeBytes) return verify(body)
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

const crowded = refuse('rate_limited', {
  retryAfterSeconds,
  detail: 'signatures of this client failed, and too many more of its requests wait to be checked',
})
