/** The port to keys that senders publish: fetched at a bounded rate, and kept once they have verified a request. */

/** The answer of an address, and the wall time of its request, in milliseconds. */
export type FetchedKey = { readonly bytes: Buffer; readonly at: number }

/** A request for the keys of a sender. */
export type KeyRequest = {
  /** The client's address. All clients of its network share its limits. */
  readonly client: string
  /** The most bytes of an answer that are taken. */
  readonly maxBytes: number
  /** The request names the address, so a stranger may have chosen it. Other addresses are configured. */
  readonly isNamedByRequest: boolean
}

/**
 * The result of a fetch. `isAwaited`: the caller waited for the fetch, so the sender's keys are as of now. `later`: the reason why there is
 * no key at the moment.
 */
export type KeyAnswer = (FetchedKey & { readonly isAwaited: boolean }) | { readonly later: string }

/** Keys by their addresses. They last over restarts where the store of the gateway does. */
export interface KeptKeys {
  /** Returns a kept key; `undefined` also where it was damaged meanwhile. The caller judges whether the key is still valid. */
  get(address: string): FetchedKey | undefined
  /** Keeps a key in place of the address's earlier key. The oldest key is dropped when there is no room. Never throws. */
  put(address: string, key: FetchedKey): void
}

export interface SenderKeys {
  /** Fetches an address. The result, good or bad, is valid for 30 seconds: all callers of that time share it. Never rejects. */
  fetch(address: string, request: KeyRequest): Promise<KeyAnswer>
  readonly kept: KeptKeys
}
