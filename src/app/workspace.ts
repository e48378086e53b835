/** The Workspace, on which every use case works. */

import type { Env } from '../config/env.ts'

/** A data directory, and the environment to which its configuration refers. */
export type Workspace = {
  readonly dataDir: string
  readonly env: Env
  /** How the user calls the program on this data directory, for hints. */
  readonly self: string
}
