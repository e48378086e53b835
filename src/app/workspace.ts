/** A Workspace is what every use case works on. */

import type { Env } from '../config/env.ts'

/** A data directory, and the environment that its configuration refers to. */
export type Workspace = {
  readonly dataDir: string
  readonly env: Env
  /** How the user calls the program on this data directory, for hints. */
  readonly self: string
}
