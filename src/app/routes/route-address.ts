/** Writes the URLs of routes: where a client on this machine reaches a route, and where its sender does. */

import type { Config, RouteSource } from '../../config/config.ts'
import { routePath } from '../../plan/compile.ts'

/** Returns the base URL of a gateway. A gateway that listens on all addresses is reached on loopback. */
export const baseUrl = ({ host, port }: Pick<Config, 'host' | 'port'>): string => {
  const reached = host === '0.0.0.0' || host === '::' || host === '' ? '127.0.0.1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

/** Returns the host and the port of a URL. An IPv6 address loses its brackets. */
export const listenerAt = (url: string): Pick<Config, 'host' | 'port'> => {
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) }
}

/** Returns the URL at which a route that is bound to `profile` receives posts. */
export const routeUrl = (config: Pick<Config, 'host' | 'port'>, name: string, profile: string): string =>
  `${baseUrl(config)}${routePath({ name, profile })}`

/**
 * Returns the address that the sender knows and may sign: the public URL that is set for the route or the gateway, else `url`, where the
 * gateway listens.
 */
export const senderUrl = (route: Pick<RouteSource, 'name' | 'profile' | 'spec'>, url: string, publicUrl: string | undefined): string =>
  route.spec.public_url ?? (publicUrl === undefined ? url : `${publicUrl.replace(/\/+$/, '')}${routePath(route)}`)
