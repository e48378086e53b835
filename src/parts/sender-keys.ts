/** The port to keys that senders publish: fetched with patience, and kept once they have verified a request. */

/** What an address gave, and the wall time at which it was asked, in milliseconds. */
export type FetchedKey = { readonly bytes: Buffer; readonly at: number }

/** Who asks for the keys of a sender, and how. */
export type KeyRequest = {
  /** The client's address. It shares what its network may have. */
  readonly client: string
  /** The longest answer of the address that is taken. */
  readonly maxBytes: number
  /** The request names the address, so that a stranger may have chosen it. The others stand in the configuration. */
  readonly isNamedByRequest: boolean
}

/**
 * What came of a fetch. `isAwaited`: the fetch was under way when it was asked for, so that the sender had what it published by then.
 * `later`: why there is nothing at the moment.
 */
export type KeyAnswer = (FetchedKey & { readonly isAwaited: boolean }) | { readonly later: string }

/** Keys by their addresses, over restarts where the store of the gateway lasts. */
export interface KeptKeys {
  /** `undefined` also for what was damaged meanwhile. Whether it is still valid is for the caller to judge. */
  get(address: string): FetchedKey | undefined
  /** Keeps a key in place of what the address gave before; the oldest goes when there is no room. It never throws. */
  put(address: string, key: FetchedKey): void
}

export interface SenderKeys {
  /**
   * Fetches an address. The fetch stands for 30 seconds, whatever came of it: who asks for the same address meanwhile shares it. Never
   * rejects.
   */
  fetch(address: string, request: KeyRequest): Promise<KeyAnswer>
  readonly kept: KeptKeys
}
