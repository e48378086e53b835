/** The settings of a configuration that plans are made of. */

import type { Config, Profile } from '../config/config.ts'

/** All that a route's plan is made of, besides the route and what its agent costs. A plan is made anew where one of these has changed. */
export type PlanSettings = Pick<Config, 'dataDir' | 'host' | 'multiplex' | 'globalSecret'> & {
  /** Without the rate limit, which is asked for as it is when a request comes. */
  readonly adapter: Omit<Config['adapter'], 'rate_limit'>
  readonly profiles: ReadonlyMap<string, Pick<Profile, 'name' | 'dir' | 'env' | 'platforms'>>
  /** Of the servers of toolsets only the names count. */
  readonly tools: { readonly servers: { readonly [toolset: string]: unknown } }
}

/** These settings alone, as plain data: two configurations give equal ones where they give equal plans. */
export const planSettingsOf = (config: PlanSettings): PlanSettings => {
  const { dataDir, host, multiplex, globalSecret } = config
  const { rate_limit: _, ...adapter }: Partial<Config['adapter']> = config.adapter
  return {
    dataDir,
    host,
    multiplex,
    adapter: adapter as PlanSettings['adapter'],
    ...(globalSecret === undefined ? {} : { globalSecret }),
    profiles: new Map([...config.profiles].map(([key, { name, dir, env, platforms }]) => [key, { name, dir, env, platforms }])),
    tools: { servers: Object.fromEntries(Object.keys(config.tools.servers).map((name) => [name, true])) },
  }
}
