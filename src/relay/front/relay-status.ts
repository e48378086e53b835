/** Says what a relay keeps, how old it is, and what became of what it kept. */

import type { Clock } from '../../core/clock.ts'
import type { ServedGateway } from './hand-over.ts'
import type { Counted, RelayLedger } from './ledger.ts'

/** `age_seconds`: the time since the oldest request came. `counts`: since the relay's database was made. */
export type LaneStatus = {
  readonly route: string
  readonly items: number
  readonly bytes: number
  readonly oldest?: string
  readonly age_seconds?: number
  readonly counts: { readonly [what in Counted]?: number }
}

/** `connected`: whether a process of the gateway asks for requests. `ended`: the latest requests that were not taken. */
export type RelayedGatewayStatus = {
  readonly gateway: string
  readonly connected: boolean
  readonly items: number
  readonly bytes: number
  readonly routes: readonly LaneStatus[]
  readonly ended: readonly {
    readonly id: number
    readonly route: string
    readonly at: string
    readonly ended_at: string
    readonly why: string
  }[]
}

/** `verifies`: a relay keeps what it gets, so forged requests are among it until their gateway refuses them. */
export type RelayStatus = { readonly relay: string; readonly verifies: false; readonly gateways: readonly RelayedGatewayStatus[] }

export type StatusSource = { readonly ledger: RelayLedger; readonly served: ReadonlyMap<string, ServedGateway>; readonly clock: Clock }

/** The most records of requests that were not taken. */
const maxEnded = 20

export const statusOf = ({ ledger, served, clock }: StatusSource, only?: string): RelayStatus => {
  const counts = ledger.counts()
  const gatewayOf = ([gateway, { queue }]: readonly [string, ServedGateway]): RelayedGatewayStatus => {
    const lanes = new Map([...queue.lanes].map((lane) => [lane.name, lane]))
    const own = counts.filter((count) => count.gateway === gateway)
    const names = new Set([...lanes.keys(), ...own.map(({ lane }) => lane)])
    const routes = [...names].sort().map((route): LaneStatus => {
      const { items = 0, bytes = 0 } = lanes.get(route) ?? {}
      const oldestAt = ledger.oldestAt({ gateway, lane: route })
      const counted = own.filter(({ lane }) => lane === route).map(({ what, number }) => [what, number])
      const oldest =
        oldestAt === undefined ? {} : { oldest: timeOf(oldestAt), age_seconds: Math.max(0, Math.round((clock.now() - oldestAt) / 1000)) }
      return { route, items, bytes, ...oldest, counts: Object.fromEntries(counted) }
    })
    const sum = (of: (lane: LaneStatus) => number): number => routes.reduce((total, lane) => total + of(lane), 0)
    return {
      gateway,
      connected: queue.isTaken,
      items: sum(({ items }) => items),
      bytes: sum(({ bytes }) => bytes),
      routes,
      ended: ledger
        .ended(gateway, maxEnded)
        .map(({ id, lane, at, endedAt, why }) => ({ id, route: lane, at: timeOf(at), ended_at: timeOf(endedAt), why })),
    }
  }
  const shown = [...served].filter(([name]) => only === undefined || name === only)
  return { relay: ledger.name, verifies: false, gateways: shown.map(gatewayOf) }
}

const timeOf = (at: number): string => new Date(at).toISOString()
