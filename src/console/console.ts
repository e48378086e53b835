/** Opens the console: makes the sign-ins, the answers, the live traffic and the audit, and starts the server that works with them. */

import { isLoopback } from '../config/config.ts'
import type { ConsoleSettings } from '../config/console/settings.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { GatewayFinder } from '../datadir/running-gateway.ts'
import type { Workspace } from '../datadir/workspace.ts'
import type { EditorService } from '../edit/service.ts'
import { openAudit } from '../features/audit/audit.ts'
import { journalFolder } from '../journal/folder.ts'
import { indexedRecords } from '../journal/index/indexed-records.ts'
import { createAccess } from './access/access.ts'
import { ownUser } from './access/users.ts'
import { createAnswers } from './answers/answers.ts'
import { createLiveFeed } from './live-feed.ts'
import { listenForConsole } from './server.ts'

export type ConsoleOptions = {
  readonly workspace: Workspace
  readonly gateway: GatewayFinder
  readonly service: EditorService
  readonly settings: ConsoleSettings
  readonly clock: Clock
  readonly log: Log
}

export interface Console {
  /** Makes an address with which one browser can sign in, within a minute. */
  signInUrl(): string
  close(): Promise<void>
}

/** Opens the console. Throws a Fault where the server cannot listen. */
export const openConsole = async (options: ConsoleOptions): Promise<Console> => {
  const { gateway, clock, settings } = options
  const journal = indexedRecords(journalFolder(options.workspace.dataDir))
  // The index is built before anybody asks for events, so that the first list need not wait.
  void journal.update()
  const workspace = { ...options.workspace, journal }
  const access = createAccess(settings, clock)
  const live = createLiveFeed({ workspace, gateway, clock })
  const audit = openAudit(workspace.dataDir, clock)
  const answers = createAnswers({ ...options, workspace, audit })
  const { port, close } = await listenForConsole({ ...options, ...settings, access, live, answers, audit })
  return {
    // A browser does not send the part of an address behind the `#`, so no log of a server has the code.
    signInUrl: () => `${originFor(settings, port)}/#code=${access.codes.make(ownUser)}`,
    async close() {
      live.close()
      await close()
    },
  }
}

/**
 * Returns the origin at which a browser of this machine reaches the console: a loopback origin, or the public origin where the server
 * listens on no loopback address.
 */
const originFor = ({ host, publicOrigin }: ConsoleSettings, port: number): string => {
  const name = host === '::1' ? '[::1]' : '127.0.0.1'
  const isOwn = isLoopback(host) || host === '0.0.0.0' || host === '::'
  return isOwn || publicOrigin === undefined ? `http://${name}:${port}` : publicOrigin
}
