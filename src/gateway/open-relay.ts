/** Opens the puller that takes requests from a relay, once the configuration names one. Until then its code is not loaded. */

import type { Facts } from '../core/facts/facts.ts'
import type { Scope } from '../core/scope.ts'
import { openLater } from '../features/open-later.ts'
import type { Status } from '../generated/control.ts'
import type { PullerOptions, RelayState } from '../relay/inner/puller.ts'
import type { GatewayOptions } from './gateway-options.ts'

/** `open` is called at the start and after each reload. `stop` takes nothing more, and lets the requests in progress end. */
export type OpenedRelay = {
  readonly open: () => Promise<void>
  readonly stop: () => Promise<void>
  /** Returns what the status says of the relay; nothing where there is none. */
  readonly view: () => Pick<Status, 'relay'>
}

type RelayDoor = { readonly facts: Pick<Facts, 'emit'> } & Pick<PullerOptions, 'refusing' | 'watch' | 'status'>

/** Prepares the puller. */
export const openRelay = ({ config, clock, log, reloader }: GatewayOptions, door: RelayDoor, scope: Scope): OpenedRelay => {
  const relayNow = () => reloader.current().config.relay ?? config.relay
  const { begin, part, close } = openLater(
    scope,
    () => relayNow() !== undefined,
    async (scope) => {
      const { Puller } = await import('../relay/inner/puller.ts')
      const puller = new Puller({ ...door, clock, log, serving: reloader.current, address: () => relayNow() ?? { url: '', key: '' } })
      scope.defer(() => puller.close())
      return puller
    },
  )
  return {
    open: begin,
    stop: close,
    view: () => viewOf(part()?.state()),
  }
}

const viewOf = (state: RelayState | undefined): Pick<Status, 'relay'> => {
  if (!state) return {}
  const { url, connected, since, reason, kept } = state
  const seen = kept && { kept: kept.items, kept_bytes: kept.bytes }
  const oldest = kept?.oldestAt === undefined ? {} : { oldest_at: new Date(kept.oldestAt).toISOString() }
  return {
    relay: { url, connected, since: new Date(since).toISOString(), ...(reason === undefined ? {} : { reason }), ...seen, ...oldest },
  }
}
