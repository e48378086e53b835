/** Writes the URL of a route as a client on this machine reaches it. */

import { type Config, defaultProfile } from '../../config/config.ts'

/** The gateway's base URL. A gateway that listens on all addresses is reached on loopback. */
const baseUrl = ({ host, port }: Pick<Config, 'host' | 'port'>): string => {
  const reached = host === '0.0.0.0' || host === '::' || host === '' ? '127.0.0.1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

/** The receiving URL of a route bound to `profile`. */
export const routeUrl = (config: Pick<Config, 'host' | 'port'>, name: string, profile: string): string =>
  `${baseUrl(config)}${profile === defaultProfile ? '' : `/p/${profile}`}/webhooks/${name}`
