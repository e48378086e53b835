/** Reads the built files of the pages into memory, once: the page, its scripts, its styles and its icon. */

import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exit, Fault } from '../core/fault.ts'

export type Asset = { readonly type: string; readonly body: Buffer }

/** The folder of the built files, relative to this module: the bundle has the module in `dist/`, the source in `src/console/`. */
const folder = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../dist/console/' : './console/', import.meta.url))

/** The name of the only page. The page shows every screen. */
export const pageName = 'index.html'

const types: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Returns the files by their names. Throws a Fault where the files were not built. */
export const readAssets = (): ReadonlyMap<string, Asset> => {
  try {
    return new Map(
      readdirSync(folder).flatMap((name) => {
        const type = types[extname(name)]
        return type === undefined ? [] : [[name, { type, body: readFileSync(join(folder, name)) }]]
      }),
    )
  } catch (cause) {
    throw new Fault('not_built', 'the pages of the console are missing', {
      exitCode: exit.internal,
      hint: `install the program again: ${folder}`,
      cause,
    })
  }
}
