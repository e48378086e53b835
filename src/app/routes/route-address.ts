/** Writes the URL of a route as a client on this machine reaches it. */

import type { Config, RouteSource } from '../../config/config.ts'
import { routePath } from '../../plan/compile.ts'

/** A gateway's base URL. One that listens on all addresses is reached on loopback. */
export const baseUrl = ({ host, port }: Pick<Config, 'host' | 'port'>): string => {
  const reached = host === '0.0.0.0' || host === '::' || host === '' ? '127.0.0.1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

/** Host and port of a URL. */
export const listenerAt = (url: string): Pick<Config, 'host' | 'port'> => {
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) }
}

/** The receiving URL of a route bound to `profile`. */
export const routeUrl = (config: Pick<Config, 'host' | 'port'>, name: string, profile: string): string =>
  `${baseUrl(config)}${routePath({ name, profile })}`

/** The address that the sender knows and may sign: the one that the gateway is told, else `url`, where it listens. */
export const senderUrl = (route: Pick<RouteSource, 'name' | 'profile' | 'spec'>, url: string, publicUrl: string | undefined): string =>
  route.spec.public_url ?? (publicUrl === undefined ? url : `${publicUrl.replace(/\/+$/, '')}${routePath(route)}`)
