/** Compiles routes as the gateway does, over a store of their own, and sends requests to them without a network. */

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { RouteSource } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import type { EndedRequest } from '../../src/core/facts/fact.ts'
import type { Outcome } from '../../src/core/outcome.ts'
import type { RoutePlan } from '../../src/core/plan.ts'
import type { Event } from '../../src/core/request.ts'
import { createDryEffects } from '../../src/dryrun/trace/dry-effects.ts'
import { beginRequest, type OnBody } from '../../src/engine/run.ts'
import { parsePath } from '../../src/http/receive.ts'
import type { Effects } from '../../src/parts/effects.ts'
import type { SenderKeys } from '../../src/parts/sender-keys.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import { compileRoute } from '../../src/plan/compile.ts'
import { challengeKeysOf, checkChallengeKeys } from '../../src/plan/route-schemes.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import type { Store } from '../../src/store/ports.ts'
import { headOf, type Sent } from './request.ts'

/** How a route learns the URL that its sender posts to. */
export type Address = 'public_url' | 'host' | 'proxy'

export type RouteSettings = {
  readonly name: string
  /** The names of schemes in `verify`. Without names, the built-in schemes decide. */
  readonly verify: readonly string[]
  /** The `secret` or `public_key` of the route. */
  readonly key: { readonly [key: string]: string }
  readonly address: Address
  /** The events that the route accepts. Absent where it accepts all. */
  readonly events?: readonly string[]
}

/** How the gateway ended a request. */
export type Taken = {
  readonly outcome: Outcome
  /** The scheme that found the signature right. */
  readonly scheme: string | undefined
  /** The event that the agent would be asked about. */
  readonly event: Event | undefined
}

/** The host that senders post to. */
export const host = 'hooks.example.com'
const proxies = ['127.0.0.1']

/** Returns the URL that the sender posts to and signs. */
export const addressOf = ({ name, address }: Pick<RouteSettings, 'name' | 'address'>, query = ''): string =>
  `${address === 'host' ? 'http' : 'https'}://${host}/webhooks/${name}${query}`

export type World = {
  /** Sends a POST to a route. The delivery ids that it claims stay claimed until `forget`. */
  readonly post: (route: RouteSettings, sent: Sent) => Promise<Taken>
  /** Sends a GET, which can only be a handshake. */
  readonly get: (route: RouteSettings, sent: Sent) => Promise<Outcome>
  /** Whether a gateway with these routes would start: their keys do not forbid it. */
  readonly starts: (routes: readonly RouteSettings[]) => boolean
  /** Replaces the store by an empty one. */
  readonly forget: () => void
}

/**
 * Makes a world, which compiles a route when the first request for it comes. `certificate`: the certificate, in PEM, that is fetched from
 * any URL that a sender names.
 */
export const createWorld = (certificate: string): World => {
  let now = 0
  const clock: Clock = { ...systemClock, now: () => now }
  let store: Store = openMemory({ clock, maxClaims: 1_000 })
  const keys: SenderKeys = {
    fetchKey: async () => ({ bytes: Buffer.from(certificate), at: now, isAwaited: true }),
    kept: { get: () => undefined, put: () => {} },
  }
  const effects: Effects = Object.defineProperty({ ...createDryEffects(clock), keys }, 'store', { get: () => store })
  const plans = new Map<string, RoutePlan>()
  const planOf = (route: RouteSettings): RoutePlan => {
    const key = JSON.stringify(route)
    const known = plans.get(key) ?? compile(route, effects)
    plans.set(key, known)
    return known
  }
  const lookAt = (route: RouteSettings, sent: Sent) => {
    now = sent.at
    return headOf(sent, route.address === 'proxy' ? proxies : false)
  }
  return {
    forget() {
      store = openMemory({ clock, maxClaims: 1_000 })
    },
    starts(routes) {
      const sources = routes.flatMap((route) => sourceIn(loaded(route), route))
      const keys = challengeKeysOf(sources, builtinCatalogue)
      return sources.every((source) => checkChallengeKeys(source, builtinCatalogue, keys).every(({ stopsStart }) => !stopsStart))
    },
    get: async (route, sent) => endOf(await beginRequest(planOf(route), { ...lookAt(route, sent), method: 'GET' })).outcome,
    async post(route, sent) {
      if (parsePath(sent.target)?.name !== route.name) return elsewhere
      let event: Event | undefined
      const proceed = await beginRequest(planOf(route), lookAt(route, sent), {
        stage: (_stage, _ended, seen) => {
          event = seen ?? event
        },
      })
      const { outcome, verified } = await (typeof proceed === 'function' ? proceed(Buffer.from(sent.body, 'latin1')) : proceed)
      return { outcome, scheme: verified?.verification.scheme, event }
    },
  }
}

const endOf = (begun: EndedRequest | OnBody): EndedRequest => {
  if (typeof begun !== 'function') return begun
  throw new Error('a route that takes POST alone goes on with a GET')
}

const elsewhere: Taken = { outcome: { kind: 'refused', code: 'unknown_route' }, scheme: undefined, event: undefined }

type Loaded = ReturnType<typeof loadConfig>

const loaded = ({ name, verify, key, address, events }: RouteSettings): Loaded => {
  const [only, ...more] = verify
  const named = only === undefined ? {} : { verify: more.length > 0 ? verify : only }
  const extra = {
    routes: { [name]: { ...named, ...key, ...(events ? { events } : {}), prompt: '{__raw__}', deliver: 'log' } },
    ...(address === 'public_url' ? { public_url: `https://${host}` } : {}),
    ...(address === 'proxy' ? { trust_proxy: proxies } : {}),
  }
  const dataDir = join(tmpdir(), 'no-such-folder-of-headgate')
  const text = stringify({ platforms: { webhook: { enabled: true, extra } } })
  return loadConfig({ dataDir, texts: new Map([[join(dataDir, 'config.yaml'), text]]), env: {} })
}

const sourceIn = ({ config }: Loaded, route: RouteSettings): RouteSource => {
  const source = config.routes.get(route.name)
  if (!source) throw new Error(`the fuzz's own route ${JSON.stringify(route)} is not there`)
  return source
}

const compile = (route: RouteSettings, effects: Effects): RoutePlan => {
  const all = loaded(route)
  const compiled = compileRoute(sourceIn(all, route), all.config, builtinCatalogue, effects)
  const [problem] = [...all.diagnostics, ...compiled.diagnostics].filter(({ stopsStart }) => stopsStart)
  if (!compiled.plan || problem) throw new Error(`the fuzz's own route ${JSON.stringify(route)}: ${problem?.message ?? 'no plan'}`)
  return compiled.plan()
}
