/**
 * The database as operators with two hosts have it: a primary on one host, and a place for its standby on the other host. The address of the
 * gateways names both hosts.
 */

import { type OwnServer, startPostgresServer } from '../../test/fakes/postgres-server.ts'
import { startStandby } from '../../test/fakes/postgres-standby.ts'
import type { Host } from './detour.ts'

export class ServerPair {
  /** The servers by host. A host without a server gets one at the next fail-over. */
  readonly #servers: (OwnServer | undefined)[]
  #primary: OwnServer
  /** The servers of the past. Their binaries are still in use. */
  readonly #dead: OwnServer[] = []

  private constructor(primary: OwnServer) {
    this.#primary = primary
    this.#servers = [primary, undefined]
  }

  static async start(): Promise<ServerPair> {
    return new ServerPair(await startPostgresServer(true))
  }

  get primary(): OwnServer {
    return this.#primary
  }

  get hosts(): readonly Host[] {
    return this.#servers.map((_, place) => () => {
      const server = this.#servers[place]
      return server && Number(new URL(server.url).port)
    })
  }

  /**
   * Starts a synchronous standby, kills the primary at the moment at which `whenToKill` resolves, and makes the standby the primary. The old
   * primary does not come back.
   */
  async failOver(whenToKill: () => Promise<unknown>): Promise<void> {
    const old = this.#primary
    const standby = await startStandby(old)
    this.#servers[this.#servers.indexOf(undefined)] = standby
    await whenToKill()
    await old.kill()
    await standby.promote()
    this.#primary = standby
    this.#servers[this.#servers.indexOf(old)] = undefined
    this.#dead.push(old)
  }

  async stop(): Promise<void> {
    for (const server of [this.#primary, ...this.#dead]) await server.stop()
  }
}
