/** Tells a runner's own API from others that speak the same language. */

/**
 * Whether `agent.base_url` is the runner's own API: the same scheme, host and port, or absent. The key in the environment is a key of that API,
 * and no other gets it (rules: Configuration 9). A runner that names no API of its own (`ownUrl`) asks the one of `base_url`.
 */
export const isOwnApi = (baseUrl: string | undefined, ownUrl: string | undefined): boolean =>
  baseUrl === undefined || ownUrl === undefined || (originOf(baseUrl) ?? baseUrl) === originOf(ownUrl)

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)
