/** Writes the URLs of routes: where a client on this machine reaches a route, and where its sender does. */

import type { Config, RouteSource } from '../config/config.ts'
import { routePath } from '../plan/compile.ts'
import type { Workspace } from './workspace.ts'

/**
 * Where a gateway is reached. `tls`: whether it speaks TLS; the settings of the configuration count as true. `path`: what begins its paths,
 * where a relay stands before it.
 */
export type ListenSettings = Pick<Config, 'host' | 'port' | 'relay'> & { readonly tls?: Config['tls'] | boolean; readonly path?: string }

/**
 * Returns the base URL of a gateway. A gateway that listens on all addresses is reached on loopback, and a gateway that opens no port at its
 * relay.
 */
export const baseUrl = ({ host, port, tls, path = '', relay }: ListenSettings): string => {
  if (relay?.listen === false) return relay.url.replace(/\/+$/, '')
  const reached = host === '0.0.0.0' || host === '::' || host === '' ? '127.0.0.1' : host
  return `${tls ? 'https' : 'http'}://${reached.includes(':') ? `[${reached}]` : reached}:${port}${path}`
}

/** Returns where the gateway with this URL is reached. An IPv6 address loses its brackets. */
export const listenerAt = (url: string): ListenSettings => {
  const { protocol, hostname, port, pathname } = new URL(url)
  const tls = protocol === 'https:'
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (tls ? 443 : 80)), tls, path: pathname.replace(/\/+$/, '') }
}

/** Returns where the routes of a workspace are reached: at the gateway that runs, else as the configuration says. */
export const listenerOf = (config: Config, { listensAt }: Pick<Workspace, 'listensAt'>): ListenSettings =>
  listensAt === undefined ? config : listenerAt(listensAt)

/** Returns the URL at which a route that is bound to `profile` receives posts. */
export const routeUrl = (config: ListenSettings, name: string, profile: string): string =>
  `${baseUrl(config)}${routePath({ name, profile })}`

/**
 * Returns the address that the sender knows and may sign: the public URL that is set for the route or the gateway, else `url`, where the
 * gateway listens.
 */
export const senderUrl = (route: Pick<RouteSource, 'name' | 'profile' | 'spec'>, url: string, publicUrl: string | undefined): string =>
  route.spec.public_url ?? (publicUrl === undefined ? url : `${publicUrl.replace(/\/+$/, '')}${routePath(route)}`)
