/** The interface through which the check of a signature finds the keys that a sender publishes. */

import type { KeyObject } from 'node:crypto'
import type { RequestHead } from '../../../core/request.ts'
import type { CheckHead, KeysUnavailable } from '../scheme.ts'

/** A key; a text with the reason why the request is refused; or `KeysUnavailable` where the key cannot be fetched now. */
export type KeyResult = KeyObject | string | KeysUnavailable

/** The keys of one sender, for the checks of one route with one secret. */
export interface RemoteKeys {
  /** Finds a key. `name`: the id of the key in a JWKS, or the address of its certificate. Never rejects. */
  find(name: string, head: RequestHead): KeyResult | Promise<KeyResult>
  /**
   * Notes that the key which was found for this request has verified the request. From now on it is kept (a JWKS as a whole), over restarts
   * too where the store lasts.
   */
  noteVerified(head: RequestHead): void
}

/** Wraps a check so that `noteVerified` of the keys is called for each request whose signature is valid. */
export const notingVerified = (check: CheckHead | undefined, keys: RemoteKeys | undefined): CheckHead | undefined =>
  !check || !keys
    ? check
    : (head) => {
        const checkBody = check(head)
        if (typeof checkBody === 'string') return checkBody
        const noted = <V>(verdict: V): V => {
          if (verdict === true) keys.noteVerified(head)
          return verdict
        }
        return (bytes, body) => {
          const verdict = checkBody(bytes, body)
          return verdict instanceof Promise ? verdict.then(noted) : noted(verdict)
        }
      }
