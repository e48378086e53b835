/** Decides whether an address is the API of a runner (a way to ask an agent), or another API that speaks the same protocol. */

/**
 * Whether `agent.base_url` is the runner's own API: the same protocol, host and port, or absent. The API key in the environment belongs to
 * the runner's own API, and no other API gets that key (rules: Configuration 9). A runner without an API of its own (no `ownUrl`) takes any
 * `base_url` for its own.
 */
export const isOwnApi = (baseUrl: string | undefined, ownUrl: string | undefined): boolean =>
  baseUrl === undefined || ownUrl === undefined || (originOf(baseUrl) ?? baseUrl) === originOf(ownUrl)

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)
