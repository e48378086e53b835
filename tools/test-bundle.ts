/**
 * Makes one script of test files and of all that they import. The process of a test then reads one file in place of a thousand, and takes
 * the compiled code that another process has left beside that file. As in Node, each module runs when it is imported first.
 */

import { readFileSync, rmSync } from 'node:fs'
import { isBuiltin, SourceMap } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Matches packages that stay outside the script: native ones, those that find files beside themselves, those of few files or of tests. */
const apart =
  /[\\/]node_modules[\\/](?:libsql|jsonata|saxes|esbuild|typescript|@lydell)[\\/]|[\\/]test[\\/](?:foreign[\\/])?node_modules[\\/]/

/**
 * Returns the line that declares `import.meta` for a module of ours: the one of its source, so that paths count from there. The module that
 * starts threads gets that of the built program, whose threads are bundled already: bundling one takes half a second.
 */
const metaOf = (path: string): string => {
  const at = path === join(root, 'src/process/start-thread.ts') ? join(root, 'dist/main.js') : path
  const url = JSON.stringify(pathToFileURL(at).href)
  const resolve = `(name) => require('node:url').pathToFileURL(require('node:module').createRequire(${url}).resolve(name)).href`
  return `const import_meta = { url: ${url}, filename: ${JSON.stringify(at)}, dirname: ${JSON.stringify(dirname(at))}, resolve: ${resolve} };`
}

const modules: Plugin = {
  name: 'modules',
  setup: ({ onLoad, onResolve, resolve }) => {
    onResolve({ filter: /^/, namespace: 'apart' }, ({ path }) => ({ path, external: true }))
    onResolve({ filter: /^[a-z@]/ }, async ({ path, importer, resolveDir, kind: asked, pluginData }) => {
      if (pluginData === modules) return
      // A default export is found only in a module of CommonJS. Of the packages that are imported by it, only `tap` has another form, too.
      const kind = path === 'tap' ? 'require-call' : asked
      const found = isBuiltin(path) ? path : (await resolve(path, { importer, resolveDir, kind, pluginData: modules })).path
      if (!isBuiltin(path) && !apart.test(found)) return
      if (asked.startsWith('require')) return { path: found, external: true }
      // With this ending, the bundler takes the package for a module of CommonJS.
      return { path: `${found}.cjs`, namespace: 'apart', pluginData: found }
    })
    onLoad({ filter: /^/, namespace: 'apart' }, ({ pluginData }) => ({
      contents: `module.exports = require(${JSON.stringify(pluginData)})`,
    }))
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      // Compiled code that was kept cannot call `import`. Where the path is known only at run time, tools/bundled-test.cjs imports for it.
      const text = readFileSync(path, 'utf8').replace(/\bimport\((?=\w)/g, 'importModule(')
      // The declaration is put in front of the first line, so that all lines keep their numbers.
      return { contents: text.includes('import.meta') ? metaOf(path) + text : text, loader: path.endsWith('x') ? 'tsx' : 'ts' }
    })
  },
}

export type TestBundle = {
  /** The arguments with which Node runs one of the files. */
  readonly argv: (file: string) => readonly string[]
  /** Returns a text with places in sources, where it names places in the script. */
  readonly inSources: (text: string) => string
}

/** Makes the script, in a new folder below `node_modules/` that is removed when this process ends. */
export const bundleTests = async (files: readonly string[]): Promise<TestBundle> => {
  const folder = join(root, `node_modules/.tests-${process.pid}`)
  const script = join(folder, 'tests.js')
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  await build({
    absWorkingDir: root,
    stdin: {
      contents: `await ({${files.map((file) => `'${file}': () => import('./${file}')`)}})[testFile]()`,
      resolveDir: root,
    },
    outfile: script,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    sourcemap: 'external',
    sourcesContent: false,
    logLevel: 'error',
    plugins: [modules],
    define: { 'import.meta': 'import_meta' },
    alias: {
      // The CommonJS form of this package requires its modules in a way that no bundler sees.
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      // Ink imports this package only for its own developers. It is not installed.
      'react-devtools-core': './tools/absent.cjs',
    },
    // The script is a function, which tools/bundled-test.cjs calls.
    banner: { js: "(async (require, importModule, import_meta, testFile) => { 'use strict';" },
    footer: { js: '})' },
  })

  let map: SourceMap | undefined
  const place = (line: string, column: string): readonly [file: string, line: number, column: number] => {
    map ??= new SourceMap(JSON.parse(readFileSync(`${script}.map`, 'utf8')))
    const found = map.findOrigin(Number(line), Number(column))
    return 'fileName' in found
      ? [join('node_modules/.tests', found.fileName), found.lineNumber, found.columnNumber]
      : [script, Number(line), Number(column)]
  }
  return {
    argv: (file) => [join(root, 'tools/bundled-test.cjs'), folder, file],
    inSources: (text) =>
      text
        .replace(/[^\s()]*\.tests-\d+\/tests\.js:(\d+):(\d+)/g, (_, line, column) => place(line, column).join(':'))
        .replace(/(fileName: ).*\.tests-\d+\/tests\.js(\n *lineNumber: )(\d+)(\n *columnNumber: )(\d+)/g, (_, a, b, line, c, column) => {
          const [file, ...at] = place(line, column)
          return `${a}${file}${b}${at[0]}${c}${at[1]}`
        }),
  }
}
