/**
 * Lets checks that cost much wait for their turn: a few run in each turn of the event loop. Of a client whose signatures fail these are all but
 * small ones. Its requests are still checked, because others may share its address; where too many of them wait already they are refused.
 */

import { header } from '../../../core/headers.ts'
import { type Refused, refuse } from '../../../core/outcome.ts'
import type { VerifyBody } from '../../../core/plan.ts'
import type { RequestBody, RequestHead } from '../../../core/request.ts'
import type { NextStep } from '../../../core/turns/short-turns.ts'
import type { StageKit } from '../stage.ts'

/** The check of a smaller body costs less than what is gained. */
const leastBytes = 16_384
/** So large bodies wait for their turn whoever sends them: each check holds everybody else up for milliseconds. */
const largeBytes = 262_144
const retryAfterSeconds = 60

export type ChecksInTurn = {
  /** Refuses a request by its head, where it could only wait behind too many others. */
  atHead(head: RequestHead): Refused | undefined
  /** Runs the check at once, or in its turn: then it may be done in steps. */
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

/** What a head says of its body's length; one in pieces may be as long as any. */
const lengthIn = ({ headers }: RequestHead): number | undefined => {
  const length = header(headers, 'content-length')
  return length === undefined ? undefined : Number(length)
}

const crowded = refuse('rate_limited', {
  retryAfterSeconds,
  detail: 'signatures of this client failed, and too many more of its requests wait to be checked',
})
