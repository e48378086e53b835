/** Compiles schemas to a module of functions that check data, so that the program loads no schema compiler. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ajv, Options } from 'ajv'
import { build } from 'esbuild'

const require = createRequire(import.meta.url)

/** Makes a compiler that turns schemas into source text. */
export const createAjv = (options: Options): Ajv => {
  const { Ajv } = require('ajv') as typeof import('ajv')
  return new Ajv({ strict: true, allowUnionTypes: true, strictTypes: false, code: { source: true, lines: true, esm: true }, ...options })
}

/**
 * Returns the text of the module. `idOf`: the id of a schema of the compiler, by the name of its export. `root`: the folder of
 * `node_modules`.
 */
export const renderChecks = async (ajv: Ajv, idOf: { readonly [name: string]: string }, root: string): Promise<string> => {
  const standalone = (require('ajv/dist/standalone/index.js') as { default: typeof import('ajv/dist/standalone/index.js').default }).default
  const folder = mkdtempSync(join(tmpdir(), 'headgate-gen-'))
  try {
    const entry = join(folder, 'validators.mjs')
    writeFileSync(entry, standalone(ajv, idOf))
    const out = await build({
      entryPoints: [entry],
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      write: false,
      nodePaths: [join(root, 'node_modules')],
      minify: true,
      legalComments: 'none',
    })
    return (out.outputFiles[0]?.text ?? '').replaceAll(folder, '')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
