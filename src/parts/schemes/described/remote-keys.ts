/** The port to a sender's published keys, for checks. */

import type { KeyObject } from 'node:crypto'
import type { RequestHead } from '../../../core/request.ts'
import type { CheckHead, Later } from '../scheme.ts'

/** A key, or the reason why there is none. */
export type KeyResult = KeyObject | string | Later

/** The keys of one sender, for one route. */
export interface RemoteKeys {
  /** Finds a key by its id, or by the address of its certificate. Never rejects. */
  find(name: string, head: RequestHead): KeyResult | Promise<KeyResult>
  /** Notes that the key found for this request has verified it. From now on the key is kept. */
  hasVerified(head: RequestHead): void
}

/** Wraps a check, so that `keys` is told of each request that its keys have verified. */
export const notingVerified = (check: CheckHead | undefined, keys: RemoteKeys | undefined): CheckHead | undefined =>
  !check || !keys
    ? check
    : (head) => {
        const checkBody = check(head)
        if (typeof checkBody === 'string') return checkBody
        const noted = <V>(verdict: V): V => {
          if (verdict === true) keys.hasVerified(head)
          return verdict
        }
        return (bytes, body) => {
          const verdict = checkBody(bytes, body)
          return verdict instanceof Promise ? verdict.then(noted) : noted(verdict)
        }
      }
