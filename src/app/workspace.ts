/** The data directory and the environment on which every use case works. */

import type { Env } from '../config/env.ts'
import type { ProvidedSecrets } from '../config/secrets/providers.ts'
import type { EventRecords } from '../journal/event-records.ts'

/** `dataDir`: the path of the data directory. `env`: the variables to which its configuration may refer. */
export type Workspace = {
  readonly dataDir: string
  readonly env: Env
  /** The secrets of programs, where they were asked (`withSecrets`). */
  readonly provided?: ProvidedSecrets | undefined
  /** How the user calls the program on this data directory, for hints that show a command (`headgate --data-dir x`). */
  readonly self: string
  /** Reads the journal of the data directory with an index. Absent: each use case reads the files. */
  readonly journal?: EventRecords
}
