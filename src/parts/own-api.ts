/** Recognises a runner's own API among others that speak the same protocol. */

/**
 * Whether `agent.base_url` is the runner's own API: the same scheme, host and port, or absent. The key in the environment belongs to that
 * API, and no other API gets it (rules: Configuration 9). A runner without an API of its own (no `ownUrl`) takes any `base_url` for its
 * own.
 */
export const isOwnApi = (baseUrl: string | undefined, ownUrl: string | undefined): boolean =>
  baseUrl === undefined || ownUrl === undefined || (originOf(baseUrl) ?? baseUrl) === originOf(ownUrl)

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)
