/** The data directory and the environment on which every use case works. */

import { join } from 'node:path'
import type { Env } from '../config/env.ts'
import type { ProvidedSecrets } from '../config/secrets/providers.ts'
import type { EventRecords } from '../journal/event-records.ts'

/** Returns the path of the main file of the configuration, whether it exists or not. */
export const configFile = ({ dataDir, configFile: other }: Pick<Workspace, 'dataDir' | 'configFile'>): string =>
  other ?? join(dataDir, 'config.yaml')

/** `dataDir`: the path of the data directory. `env`: the variables to which its configuration may refer. */
export type Workspace = {
  readonly dataDir: string
  readonly env: Env
  /**
   * The file that stands for `<data_dir>/config.yaml`: that of `HEADGATE_CONFIG`, else the one with which the gateway that runs was started.
   * Absent where there is no other.
   */
  readonly configFile?: string | undefined
  /** The base URL of the running gateway, whose port `gateway run --port` may have chosen. Absent if no gateway runs, or it is too old to say its URL. */
  readonly listensAt?: string | undefined
  /** The secrets of programs, where they were asked (`withSecrets`). */
  readonly provided?: ProvidedSecrets | undefined
  /** How the user calls the program on this data directory, for hints that show a command (`headgate --data-dir x`). */
  readonly self: string
  /** Reads the journal of the data directory with an index. Absent: each use case reads the files. */
  readonly journal?: EventRecords
}
