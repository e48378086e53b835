/**
 * Lets the checks of a client whose signatures fail wait for their turn. Its requests are still checked, because others may share its address,
 * but a few in each turn of the event loop; where too many of them wait already they are refused. Whoever has not failed is never held up.
 */

import { header } from '../../../core/names.ts'
import { type Refused, refuse } from '../../../core/outcome.ts'
import type { VerifyBody } from '../../../core/plan.ts'
import type { RequestBody, RequestHead } from '../../../core/request.ts'
import type { StageKit } from '../stage.ts'

/** The check of a smaller body costs less than what is gained. */
const leastBytes = 16_384
const retryAfterSeconds = 60

export type ChecksInTurn = {
  /** Refuses a request by its head, where it could only wait behind too many others. */
  atHead(head: RequestHead): Refused | undefined
  /** Runs the check at once, or in its turn. */
  run(head: RequestHead, body: RequestBody, verify: VerifyBody): ReturnType<VerifyBody>
}

export const checksInTurn = ({ name, limits: { maxBodyBytes }, effects: { limiter, turns } }: StageKit): ChecksInTurn => {
  const mustWait = (head: RequestHead, bytes: number): boolean => bytes >= leastBytes && limiter.hasFailed(name, head.remote)
  return {
    atHead(head) {
      const length = lengthIn(head) ?? maxBodyBytes
      return mustWait(head, length) && !turns.hasRoom(head.remote(), length) ? crowded : undefined
    },
    run(head, body, verify) {
      const { length } = body.bytes
      if (!mustWait(head, length)) return verify(body)
      return turns.hasRoom(head.remote(), length) ? turns.run(head.remote(), length, () => verify(body)) : crowded
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
