/** Opens the parts of a gateway (store, journal, worker, sockets and what observes them), and closes them in the reverse order. */

import type { RequestEnded } from '../core/facts/fact.ts'
import { messageOf } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import { outcomeStatus } from '../core/outcome-table.ts'
import { Scope } from '../core/scope.ts'
import type { RunningGateway } from '../datadir/running-gateway.ts'
import type { Doors } from './doors/open-doors.ts'
import { endAll, endForSuccessor } from './ending.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { startRetention } from './housekeeping.ts'
import { type GatewayServices, openServices } from './open-services.ts'

/** A gateway that listens. */
export interface Gateway {
  readonly url: string
  /** The number of routes at the start. */
  readonly routes: number
  /** What the gateway may be asked on its control socket. */
  readonly operations: RunningGateway
  /** Resolves when an operator has asked the gateway to stop. Whoever runs the gateway then calls `stop`. */
  readonly stopAsked: Promise<void>
  /**
   * Resolves after the next request to this gateway that is not refused. An ignored event and a duplicate count too; what other gateways
   * on a shared store are sent does not.
   */
  nextEvent(): Promise<void>
  /**
   * Stops the gateway. For at most `ms` milliseconds (default: the configured time) it answers the requests that are being worked on,
   * starts the groups that wait in a sole store, and lets runs finish. Then it closes everything. Runs that are left in the store go on at
   * the next start. Where the listening socket stays open for a successor, the gateway accepts events until runs have finished, and groups
   * wait for the successor.
   */
  stop(ms?: number): Promise<void>
}

/**
 * Opens a gateway. When a step fails, closes what the steps before it have opened, and throws the error of the step, in general a Fault.
 */
export const openGateway = async (options: GatewayOptions): Promise<Gateway> => {
  // The parts are closed last, because runs and requests use what the parts have open.
  const scope = new Scope()
  scope.defer(options.shared.scopes.close)
  try {
    // The code of the doors is loaded while the store waits for the disk.
    const [work, { openDoors }] = await Promise.all([openServices(options, scope), import('./doors/open-doors.ts')])
    const doors = await openDoors(options, work, scope)
    return await beginWork(options, work, doors, scope)
  } catch (error) {
    await scope.close()
    throw error
  }
}

/** Starts worker, scheduler and housekeeping, and returns the gateway. */
const beginWork = async (options: GatewayOptions, work: GatewayServices, doors: Doors, scope: Scope): Promise<Gateway> => {
  const { config, log, clock, reloader, shared, secrets } = options
  const { store, lead, worker, scheduler, replicas } = work
  const { listener, operations, features, relay, stopping, stopAsked } = doors
  const { current } = reloader
  for (const [name, notice] of current().notices) log('info', { agent: name, runner: config.agents.get(name)?.runner }, notice)
  startRetention({ store, lead, clock, log, scope, retention: () => current().config.storage.retention })
  scope.defer(() => scheduler.stop())
  secrets?.begin({ config: () => current().config, reload: () => operations.reload().catch(reloadFailed(log)) })
  scope.defer(() => secrets?.close())
  await scheduler.start()
  worker.wake()
  await relay.open()
  return {
    url: listener.url,
    routes: current().served().length,
    operations,
    stopAsked,
    nextEvent: () =>
      new Promise((resolve) => {
        shared.facts.observe({ handlers: { request_ended: (fact) => void (isTaken(fact) && resolve()) } })
      }),
    async stop(ms = current().config.drainMs) {
      stopping.now = true
      stopping.timeoutMs = ms
      reloader.stop()
      shared.replies.close()
      void replicas?.beat()
      await scheduler.stop()
      const stopped = Promise.all([relay.stop(), features.stop()])
      await (stopping.hasSuccessor ? endForSuccessor : endAll)(listener, worker, clock, ms)
      await stopped
      await scope.close()
    },
  }
}

const reloadFailed =
  (log: Log) =>
  (error: unknown): void =>
    log('error', { reason: messageOf(error) }, 'reload failed: the configuration before it stays in use')

/** Whether a request was neither refused nor failed. */
const isTaken = ({ ended }: RequestEnded): boolean => outcomeStatus(ended.outcome) < 400
