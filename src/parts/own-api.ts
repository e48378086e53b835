/** Decides whether an address is the API that a key of the environment belongs to, or another API that speaks the same protocol. */

/**
 * Whether `base_url` of a runner or of a search provider is its own API: the same protocol, host and port, or absent. The API key in the
 * environment belongs to that API, and no other API gets the key (rules: Configuration 9). What has no API of its own (no `ownUrl`) takes
 * any `base_url` for its own.
 */
export const isOwnApi = (baseUrl: string | undefined, ownUrl: string | undefined): boolean =>
  baseUrl === undefined || ownUrl === undefined || (originOf(baseUrl) ?? baseUrl) === originOf(ownUrl)

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)
