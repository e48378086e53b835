/**
 * The port to the keys that senders publish (a JWKS or a certificate). Keys are fetched at a bounded rate, and are kept over restarts once
 * they have verified a request.
 */

/** The bytes that an address gave, and the wall time in milliseconds at which the address was asked. */
export type FetchedKey = { readonly bytes: Buffer; readonly at: number }

/** The caller and the limits of a fetch. */
export type KeyRequest = {
  /** The address of the client whose request is being checked. All clients of its network share its limits. */
  readonly client: string
  /** The most bytes that are downloaded for the key. A longer answer is refused. */
  readonly maxBytes: number
  /**
   * The request that is being checked names the address of the key, so a stranger may have chosen it. `false`: the address is configured.
   */
  readonly isNamedByRequest: boolean
}

/**
 * The result of a fetch. `isAwaited`: the caller waited for the fetch, so the key is as the sender has it now; `false` where an earlier
 * fetch had ended already. `later`: the reason why there is no key at the moment.
 */
type KeyAnswer = (FetchedKey & { readonly isAwaited: boolean }) | { readonly later: string }

/** Keeps keys by their addresses. Kept keys last over restarts where the store of the gateway does. */
export interface KeptKeys {
  /**
   * Returns a kept key; `undefined` where there is none, or where the kept bytes are damaged. The caller judges whether the key is still
   * valid.
   */
  get(address: string): FetchedKey | undefined
  /**
   * Keeps a key in place of the address's earlier key. When the kept keys exceed a limit, the keys that were put longest ago are dropped.
   * Never throws.
   */
  put(address: string, key: FetchedKey): void
}

/** Fetches the keys of senders, and keeps them. */
export interface SenderKeys {
  /**
   * Fetches the key at an address. The result, a key or a failure, is valid for 30 seconds: all callers within that time get the same
   * result. Where a limit on fetches or on waiting callers is reached, the answer is `later` without a fetch. Never rejects.
   */
  fetchKey(address: string, request: KeyRequest): Promise<KeyAnswer>
  readonly kept: KeptKeys
}
