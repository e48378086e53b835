/** The settings of a configuration that plans are made of. */

import type { Config, Profile } from '../config/config.ts'

/** The settings that go into a route's plan, besides the route and the agent's prices. A plan is made anew where one of them changed. */
export type PlanSettings = Pick<Config, 'dataDir' | 'host' | 'multiplex' | 'globalSecret'> & {
  /** Without the rate limit, which is asked for as it is when a request comes. */
  readonly adapter: Omit<Config['adapter'], 'rate_limit'>
  readonly profiles: ReadonlyMap<string, Pick<Profile, 'name' | 'dir' | 'env' | 'platforms'>>
  /** Only the names of MCP servers count. */
  readonly tools: { readonly servers: { readonly [toolset: string]: unknown } }
}

/** Copies these settings alone, as plain data. Two configurations with equal copies give equal plans. */
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
