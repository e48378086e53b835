/** What the gateways on a shared store have in common beside their work. */

/**
 * A part of a route's rate limit that one gateway may use up. `requests`: how many were granted, 0 where the window is full. `leftMs`: how
 * long the window stays open.
 */
export type RateShare = { readonly requests: number; readonly leftMs: number }

export interface Shared {
  /**
   * Takes a part of a window of one minute, and opens the window where none is open. At most `limit` requests are granted in a window, to
   * all gateways together. Throws StoreFault.
   */
  takeRateShare(route: string, requests: number, limit: number): Promise<RateShare>
}
