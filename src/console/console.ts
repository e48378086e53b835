/** Opens the console: its server, and what that works with. */

import { openAudit } from '../app/audit/audit.ts'
import type { EditorService } from '../app/editor/service.ts'
import type { GatewayFinder } from '../app/running-gateway.ts'
import type { Workspace } from '../app/workspace.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { journalFolder } from '../journal/folder.ts'
import { indexedRecords } from '../journal/index/indexed-records.ts'
import { createCodes } from './access/codes.ts'
import { createSignIns } from './access/sign-ins.ts'
import { createAnswers } from './answers/answers.ts'
import { createLiveFeed } from './live-feed.ts'
import { listenForConsole } from './server.ts'

export type ConsoleOptions = {
  readonly workspace: Workspace
  readonly gateway: GatewayFinder
  readonly service: EditorService
  readonly port: number
  readonly clock: Clock
  readonly log: Log
}

export interface Console {
  /** Makes an address with which one browser can sign in, within a minute. */
  signInUrl(): string
  close(): Promise<void>
}

/** Opens the console. Throws a Fault where it cannot listen. */
export const openConsole = async (options: ConsoleOptions): Promise<Console> => {
  const { gateway, clock } = options
  const journal = indexedRecords(journalFolder(options.workspace.dataDir))
  // The first list of events must not wait for the index.
  void journal.update()
  const workspace = { ...options.workspace, journal }
  const codes = createCodes(clock)
  const live = createLiveFeed({ workspace, gateway, clock })
  const answers = createAnswers({ ...options, workspace, audit: openAudit(workspace.dataDir, clock) })
  const { port, close } = await listenForConsole({ ...options, codes, live, answers, signIns: createSignIns(clock) })
  return {
    // A browser does not send what stands behind the `#`, so no log has the code.
    signInUrl: () => `http://127.0.0.1:${port}/#code=${codes.make()}`,
    async close() {
      live.close()
      await close()
    },
  }
}
