/** The settings of a configuration that plans are made of. */

import type { Config, Profile } from '../config/config.ts'

/** All that a route's plan is made of, besides the route and what its agent costs. A plan is made anew where one of these has changed. */
export type PlanSettings = Pick<
  Config,
  'dataDir' | 'host' | 'multiplex' | 'maxBodyBytes' | 'scriptTimeoutMs' | 'publicUrl' | 'trustProxy' | 'globalSecret'
> & {
  readonly profiles: ReadonlyMap<string, Pick<Profile, 'name' | 'dir' | 'env' | 'platforms'>>
  /** Of the servers of toolsets only the names count. */
  readonly tools: { readonly servers: { readonly [toolset: string]: unknown } }
}

/** These settings alone, as plain data: two configurations give equal ones where they give equal plans. */
export const planSettingsOf = (config: PlanSettings): PlanSettings => {
  const { dataDir, host, multiplex, maxBodyBytes, scriptTimeoutMs, publicUrl, trustProxy, globalSecret } = config
  return {
    dataDir,
    host,
    multiplex,
    maxBodyBytes,
    scriptTimeoutMs,
    publicUrl,
    trustProxy,
    ...(globalSecret === undefined ? {} : { globalSecret }),
    profiles: new Map([...config.profiles].map(([key, { name, dir, env, platforms }]) => [key, { name, dir, env, platforms }])),
    tools: { servers: Object.fromEntries(Object.keys(config.tools.servers).map((name) => [name, true])) },
  }
}
