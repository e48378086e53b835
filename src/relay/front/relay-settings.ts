/** Reads the `relay.yaml` of a data directory. A mistake is a Diagnostic with file, line and column. */

import { join } from 'node:path'
import { type Env, readEnvFile } from '../../config/env.ts'
import type { FileKind } from '../../config/file-kind.ts'
import { checkedData, checkedRest, type FileReadings, takeReading } from '../../config/files.ts'
import { checkNeeds } from '../../config/needs.ts'
import { definition } from '../../config/schema-walk.ts'
import { readSource, type Source } from '../../config/yaml/source.ts'
import { hourMs } from '../../core/clock.ts'
import { type Diagnostic, diagnostic } from '../../core/diagnostic.ts'
import type { RelayFile, RelayGateway, RelayRoute } from '../../generated/config.ts'
import { defaults } from '../../generated/defaults.ts'
import { checkRelay } from '../../generated/validators.js'
import { namesProvider } from '../../secrets/secret-place.ts'

/** How the requests of one route are kept and answered. Times are in milliseconds. */
export type RouteSettings = {
  /** The methods whose requests are kept. */
  readonly methods: ReadonlySet<string>
  readonly isLive: boolean
  readonly waitMs: number
  readonly maxItems: number
  readonly maxBytes: number
  readonly maxBodyBytes: number
}

/** What a relay does for one gateway. `keys`: one of them lets the gateway in. */
export type GatewaySettings = {
  readonly name: string
  readonly keys: readonly string[]
  readonly keepMs: number
  /** Returns the settings of a route; `undefined` where its requests are not kept. */
  readonly route: (name: string) => RouteSettings | undefined
}

export type RelaySettings = {
  readonly host: string
  readonly port: number
  readonly trustProxy: boolean | readonly string[]
  readonly gateways: ReadonlyMap<string, GatewaySettings>
}

/** `settings` is absent where a Diagnostic stops the start. `texts`: the text of the file, for code frames. */
export type RelayReading = {
  readonly file: string
  readonly settings?: RelaySettings
  readonly diagnostics: readonly Diagnostic[]
  readonly texts: ReadonlyMap<string, string>
}

const relayFile: FileKind = {
  called: 'configuration of a relay',
  check: checkRelay,
  schema: definition('RelayFile'),
  routePointer: /^\/gateways\/[^/]+\/routes\/([^/]+)/,
}

/** Reads `relay.yaml` with the variables of the `.env` beside it; those of `env` win. */
export const readRelay = (dataDir: string, env: Env): RelayReading => {
  const file = join(dataDir, 'relay.yaml')
  const reading = readSource(file)
  const { source, rest } = reading
  const into: FileReadings = { diagnostics: [], texts: new Map(), sources: [], digests: new Map(), asked: new Set() }
  takeReading(file, relayFile, reading, into)
  if (!source && into.diagnostics.length === 0)
    into.diagnostics.push(diagnostic('WH003', `${file} does not exist`, { help: 'write it: docs/relay.md has an example' }))
  const from = () => ({ env: { ...readEnvFile(join(dataDir, '.env')).env, ...env } })
  if (!source) checkedRest(rest, relayFile, from, into)
  if (!source) return { file, ...into }
  const { data } = checkedData(source, relayFile, from(), into)
  const written = data as unknown as RelayFile
  into.diagnostics.push(...checkNeeds(relayFile.schema, data, { top: {}, env }, source))
  if (!into.diagnostics.some(isError)) into.diagnostics.push(...badKeys(written, source))
  return into.diagnostics.some(isError) ? { file, ...into } : { file, ...into, settings: settingsOf(written) }
}

const isError = ({ severity }: Diagnostic): boolean => severity === 'error'

/** The fewest characters of a key: anybody may try keys at the relay. */
const minKeyLength = 16

/** Reports keys that are too short once their references are resolved, and references to programs, which a relay does not ask. */
const badKeys = ({ gateways }: RelayFile, { place }: Source): Diagnostic[] =>
  Object.entries(gateways as { readonly [name: string]: RelayGateway }).flatMap(([name, { keys }]) =>
    keys.flatMap((key, at) => {
      const where = `gateways.${name}.keys[${at}]`
      const found = { place: place(['gateways', name, 'keys', at]) }
      if (namesProvider(key))
        return diagnostic('WH305', `${where}: a relay asks no program for its keys`, {
          ...found,
          help: 'let the service put the key into its environment, or into a file: credential:NAME, file:/path',
        })
      if (key.length >= minKeyLength) return []
      const help = 'openssl rand -base64 32 prints one'
      return diagnostic('WH105', `${where}: the key is too short: at least ${minKeyLength} characters`, { ...found, help })
    }),
  )

const settingsOf = ({ host, port, trust_proxy: trustProxy = false, gateways }: RelayFile): RelaySettings => ({
  host: host ?? defaults.relay_file.host,
  port: port ?? defaults.relay_file.port,
  trustProxy,
  gateways: new Map(
    Object.entries(gateways as { readonly [name: string]: RelayGateway }).map(
      ([name, { keys, keep_hours: hours = defaults.relay_gateway.keep_hours, routes }]) => {
        const named = new Map(
          Object.entries(routes as { readonly [name: string]: RelayRoute }).map(([route, written]) => [route, relayRouteOf(written)]),
        )
        return [name, { name, keys, keepMs: hours * hourMs, route: (route: string) => named.get(route) ?? named.get('*') }]
      },
    ),
  ),
})

/** Returns the settings of a route, with the defaults for what is not written. */
export const relayRouteOf = (written: RelayRoute): RouteSettings => {
  const { methods, answer, wait_seconds, max_items, max_bytes, max_body_bytes } = { ...defaults.relay_route, ...written }
  return {
    methods: new Set(methods),
    isLive: answer === 'live',
    waitMs: wait_seconds * 1000,
    maxItems: max_items,
    maxBytes: max_bytes,
    maxBodyBytes: max_body_bytes,
  }
}
