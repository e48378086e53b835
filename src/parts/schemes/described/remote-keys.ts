/** Keys that a sender publishes, as a check asks for them. */

import type { KeyObject } from 'node:crypto'
import type { RequestHead } from '../../../core/request.ts'
import type { CheckHead, Later } from '../scheme.ts'

/** A key, or why there is none. */
export type KeyResult = KeyObject | string | Later

/** The keys of one sender, for one route. */
export interface RemoteKeys {
  /** Finds a key by its id, or by the address of its certificate. Never rejects. */
  find(name: string, head: RequestHead): KeyResult | Promise<KeyResult>
  /** The key that was found for this request has verified it: from now on the key is kept. */
  hasVerified(head: RequestHead): void
}

/** The check, which says of each request that it lets pass that its key has verified it. */
export const telling = (check: CheckHead | undefined, keys: RemoteKeys | undefined): CheckHead | undefined =>
  !check || !keys
    ? check
    : (head) => {
        const checkBody = check(head)
        if (typeof checkBody === 'string') return checkBody
        const told = <V>(verdict: V): V => {
          if (verdict === true) keys.hasVerified(head)
          return verdict
        }
        return (bytes, body) => {
          const verdict = checkBody(bytes, body)
          return verdict instanceof Promise ? verdict.then(told) : told(verdict)
        }
      }
