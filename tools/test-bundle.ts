/**
 * Makes one script of test files and of all that they import. A process of a test then reads one file in place of a thousand, and Node takes
 * the compiled code that another process has left beside it. Each module runs when a file imports it first, as Node runs it.
 */

import { readFileSync, rmSync } from 'node:fs'
import { isBuiltin, SourceMap } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Packages that are native, find files beside themselves, are loaded by few files, or serve tests alone: they stay where they are. */
const apart =
  /[\\/]node_modules[\\/](?:libsql|jsonata|saxes|esbuild|typescript|@lydell)[\\/]|[\\/]test[\\/](?:foreign[\\/])?node_modules[\\/]/

/**
 * What `import.meta` is in a module of ours: that of its source, so that paths count from there. Threads are started as the program that
 * was built starts them, because bundling one takes half a second.
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
      // An export by default is found in modules of CommonJS alone, and only `tap` is imported so and has another form as well.
      const kind = path === 'tap' ? 'require-call' : asked
      const found = isBuiltin(path) ? path : (await resolve(path, { importer, resolveDir, kind, pluginData: modules })).path
      if (!isBuiltin(path) && !apart.test(found)) return
      if (asked.startsWith('require')) return { path: found, external: true }
      // A name like that of a module of CommonJS, which it is for the bundler.
      return { path: `${found}.cjs`, namespace: 'apart', pluginData: found }
    })
    onLoad({ filter: /^/, namespace: 'apart' }, ({ pluginData }) => ({
      contents: `module.exports = require(${JSON.stringify(pluginData)})`,
    }))
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      // Code that V8 has kept cannot import, so the runner does it for what is known only when it is asked for.
      const text = readFileSync(path, 'utf8').replace(/\bimport\((?=\w)/g, 'importModule(')
      // On the first line, so that the others keep their numbers.
      return { contents: text.includes('import.meta') ? metaOf(path) + text : text, loader: path.endsWith('x') ? 'tsx' : 'ts' }
    })
  },
}

export type TestBundle = {
  /** The arguments with which Node runs one of the files. */
  readonly argv: (file: string) => readonly string[]
  /** Names places in sources where a text names places in the script. */
  readonly inSources: (text: string) => string
}

/** The script lies in a folder of its own below `node_modules/`, which is removed when this process ends. */
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
      // Ink imports it where somebody develops it, and it is not installed.
      'react-devtools-core': './tools/absent.cjs',
    },
    // What tools/bundled-test.cjs calls.
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
