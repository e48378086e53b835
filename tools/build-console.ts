/** Builds the pages of the console: scripts and styles whose names have a hash of their content, and the page that loads them. */

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { build, type Metafile } from 'esbuild'

/** Writes `dist/console/`. Returns what went into it, for the notices and the bill of materials. */
export const buildConsole = async (root: string): Promise<Metafile> => {
  const folder = 'src/console/pages'
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: `${folder}/main.tsx`, style: `${folder}/main.css` },
    outdir: 'dist/console',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    metafile: true,
    logLevel: 'warning',
  })
  const built = Object.entries(metafile.outputs).flatMap(([file, { entryPoint }]) =>
    entryPoint ? [[basename(entryPoint), basename(file)] as const] : [],
  )
  const page = built.reduce(
    (text, [source, file]) => text.replace(`/assets/${source.replace('.tsx', '.js')}`, `/assets/${file}`),
    readFileSync(`${root}/${folder}/index.html`, 'utf8'),
  )
  writeFileSync(`${root}/dist/console/index.html`, page)
  copyFileSync(`${root}/${folder}/icon.svg`, `${root}/dist/console/icon.svg`)
  return metafile
}
