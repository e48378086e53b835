/** What every maker of an archive, a package or an image is told. */

import type { Arch } from './targets.ts'

export type Making = {
  /** The folder of the project, in which `dist/` is built. */
  readonly root: string
  /** Where the files go. */
  readonly out: string
  /** Where fetched packages are kept. */
  readonly cache: string
  readonly arch: Arch
  /** A folder with `bin/node` and `LICENSE` of Node, in place of the pinned package of npm. */
  readonly nodeHome?: string | undefined
  readonly product: { readonly version: string; readonly homepage: string }
  /** The time of all files, in seconds (`sourceDate`). */
  readonly seconds: number
}
