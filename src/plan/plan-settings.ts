/** The settings of a configuration that plans depend on. A reload compares them, and can keep plans only where they are equal. */

import type { AgentSettings, Config, Profile } from '../config/config.ts'
import type { TlsSettings } from '../config/tls/read-tls.ts'

/** The settings that a plan depends on, besides its route and the agent's prices. Plans are made anew where one of the settings changed. */
export type PlanSettings = Pick<Config, 'dataDir' | 'host' | 'multiplex' | 'globalSecret'> & {
  /** The adapter's settings without the rate limit: each request asks for the present limit. */
  readonly adapter: Omit<Config['adapter'], 'rate_limit'>
  /** Whether clients are asked for certificates. A new file of a certificate changes no plan. */
  readonly tls?: Pick<TlsSettings, 'clientCertificates'> | undefined
  readonly profiles: ReadonlyMap<string, Pick<Profile, 'name' | 'dir' | 'env' | 'platforms'>>
  /** What agents ask for of each event. */
  readonly agents: ReadonlyMap<string, Asked>
  /** Only the names of MCP servers count. */
  readonly tools: { readonly servers: { readonly [toolset: string]: unknown } }
}

type Asked = Pick<AgentSettings, 'envValues' | 'payload'>

const askedOf = ({ envValues = {}, payload = false }: Asked): Asked => ({ envValues, payload })

/**
 * Copies the settings that plans depend on out of a configuration, as plain data. Where two copies are equal, a reload may keep the plans
 * whose compiled route is `lasting` (compile.ts).
 */
export const planSettingsOf = (config: PlanSettings): PlanSettings => {
  const { dataDir, host, multiplex, globalSecret, tls: { clientCertificates } = {} } = config
  const { rate_limit: _, ...adapter }: Partial<Config['adapter']> = config.adapter
  return {
    dataDir,
    host,
    multiplex,
    adapter: adapter as PlanSettings['adapter'],
    ...(globalSecret === undefined ? {} : { globalSecret }),
    ...(clientCertificates === undefined ? {} : { tls: { clientCertificates } }),
    profiles: new Map([...config.profiles].map(([key, { name, dir, env, platforms }]) => [key, { name, dir, env, platforms }])),
    agents: new Map([...config.agents].flatMap(([name, asked]) => (asked.envValues || asked.payload ? [[name, askedOf(asked)]] : []))),
    tools: { servers: Object.fromEntries(Object.keys(config.tools.servers).map((name) => [name, true])) },
  }
}
