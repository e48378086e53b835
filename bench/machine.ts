/** Says what the figures were taken on: processor, node, and which of the optional tools are installed. */

import { accessSync, constants, statfsSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const TMPFS = 0x01021994

/** Returns the path of a program, or `undefined` where the program is not installed. */
const which = (program: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })

export const tools = { wrk: which('wrk'), taskset: which('taskset'), webhook: which('webhook') }

/** Server and generator get a core each; on a single core, or without taskset, nothing is pinned. */
export const pinned = tools.taskset !== undefined && availableParallelism() >= 2

export type Machine = { cpu: string; cores: number; node: string; pinned: boolean; wrk: boolean; webhook: boolean; dataOnTmpfs: boolean }

export const machine = (): Machine => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  node: process.version,
  pinned,
  wrk: tools.wrk !== undefined,
  webhook: tools.webhook !== undefined,
  dataOnTmpfs: statfsSync(tmpdir()).type === TMPFS,
})
