/** The relay: a public front that keeps requests for gateways without a public address, and hands them over when these ask. */

import { join } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import { minuteMs } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import type { Log } from '../../core/log.ts'
import { errorReply } from '../../core/reply.ts'
import { Scope } from '../../core/scope.ts'
import { repeat } from '../../core/turns/repeat.ts'
import { createBodyMemory } from '../../http/body-memory.ts'
import type { Handle } from '../../http/connections.ts'
import { createPace, eachTurn } from '../../http/pace.ts'
import { type Listener, openServer } from '../../http/server.ts'
import { writeReply } from '../../http/write-reply.ts'
import { GatewayQueue } from './gateway-queue.ts'
import { createHandOver, type HandOver, type ServedGateway } from './hand-over.ts'
import { RelayLedger } from './ledger.ts'
import type { RelaySettings } from './relay-settings.ts'
import { type RelayStatus, statusOf } from './relay-status.ts'
import { createTakeIn, type TakeIn } from './take-in.ts'
import { RelayTally } from './tally.ts'

export type RelayServerOptions = {
  readonly dataDir: string
  readonly settings: RelaySettings
  readonly log: Log
  readonly clock: Clock
}

/** A relay that listens. */
export interface RelayServer {
  readonly url: string
  /** Returns the state of one gateway, or of all. */
  status(gateway?: string): RelayStatus
  /** Uses the gateways of other settings from now on: their keys, routes and times. Host, port and `trust_proxy` stay as they are. */
  use(settings: RelaySettings): void
  /** Stops: senders that wait get 202, for their requests are kept. */
  close(): Promise<void>
}

/** The first segment of a path, and the rest with the query. A request target may be absolute (RFC 9112, 3.2.2). */
const pathForm = /^(?:https?:\/\/[^/]*)?\/([^/?#]+)(\/[^#]*)/

/** How long a stop waits for answers. */
const drainMs = 1_000

/** Opens the database and starts to listen. Throws a Fault. */
export const openRelayServer = async ({ dataDir, settings, log, clock }: RelayServerOptions): Promise<RelayServer> => {
  const scope = new Scope()
  const ledger = await RelayLedger.open(join(dataDir, 'state'))
  scope.defer(() => ledger.close())
  const served = new Map<string, ServedGateway>()
  const use = ({ gateways }: RelaySettings): void => serve(served, gateways, { ledger, clock, log })
  use(settings)
  const tally = new RelayTally({ ledger, log, clock })
  scope.defer(() => tally.close())
  const status = (gateway?: string): RelayStatus => statusOf({ ledger, served, clock }, gateway)
  let listener: Listener
  try {
    listener = await openServer({ ...settings, clock }, () => {
      const bodyMemory = createBodyMemory(clock)
      const shared = { bodyMemory, pace: createPace(eachTurn) }
      const handOver = createHandOver({ ...shared, status })
      const takeIn = createTakeIn({ ...shared, clock, trustProxy: settings.trustProxy, full: tally.full, failed: tally.failed })
      const handle = route(served, handOver, takeIn)
      return {
        handle,
        active: 0,
        get bodyBytes() {
          return bodyMemory.bytes
        },
        close: async () => {},
      }
    })
  } catch (error) {
    await scope.close()
    throw error
  }
  scope.defer(() => listener.close(drainMs))
  scope.defer(() => {
    for (const { queue } of served.values()) queue.close()
  })
  startExpiring(served, { tally, ledger, log, clock, scope })
  return { url: listener.url, status, use, close: scope.close }
}

/** Makes `served` serve these gateways. Those that it serves already keep their queues, with all that waits there. */
const serve = (
  served: Map<string, ServedGateway>,
  gateways: RelaySettings['gateways'],
  { ledger, clock, log }: { readonly ledger: RelayLedger; readonly clock: Clock; readonly log: Log },
): void => {
  for (const [name, { queue }] of served) {
    if (gateways.has(name)) continue
    queue.close()
    served.delete(name)
  }
  const added = new Map<string, GatewayQueue>()
  for (const [name, settings] of gateways) {
    const queue = served.get(name)?.queue ?? new GatewayQueue({ settings, ledger, clock })
    if (served.has(name)) queue.use(settings)
    else added.set(name, queue)
    served.set(name, { settings, queue })
  }
  const unserved = new Set<string>()
  ledger.each((facts) => {
    added.get(facts.gateway)?.found(facts)
    if (!served.has(facts.gateway)) unserved.add(facts.gateway)
  })
  for (const gateway of unserved) log('warn', { gateway }, 'requests are kept for a gateway that relay.yaml does not have')
}

const route =
  (served: ReadonlyMap<string, ServedGateway>, handOver: HandOver, takeIn: TakeIn): Handle =>
  (request, response, connection) => {
    const [, name = '', rest = ''] = pathForm.exec(request.url ?? '') ?? []
    const asked = { request, response, connection }
    if (rest.startsWith('/relay/v1/')) return handOver(asked, served.get(name), rest)
    if (rest !== '') return takeIn(asked, served.get(name), rest)
    if (connection.hasLargeRest) connection.closeAfter(response)
    const isLive = request.method === 'GET' && request.url === '/livez'
    writeReply(response, isLive ? { status: 200, type: 'application/json', body: '{"status":"live"}' } : errorReply(404, 'Not found'))
  }

type House = { readonly tally: RelayTally; readonly ledger: RelayLedger; readonly log: Log; readonly clock: Clock; readonly scope: Scope }

/** Lets requests expire once a minute, writes what was counted, and removes what is left of ended requests. */
const startExpiring = (served: ReadonlyMap<string, ServedGateway>, { tally, ledger, log, clock, scope }: House): void => {
  const work = async (): Promise<void> => {
    for (const [gateway, { queue }] of served) {
      for (const [lane, expired] of await queue.expire())
        log('error', { gateway, route: lane, expired }, 'requests expired: no gateway took them in time')
    }
    await tally.write()
    ledger.forgetEnded()
  }
  repeat(clock, minuteMs, work, { scope, failed: (error) => log('error', { reason: messageOf(error) }, 'the relay cannot write') })
}
