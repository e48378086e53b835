/**
 * Builds `dist/`: one bundle in lazy chunks, so that a command loads only what it needs, with the pages of the console, the notices of
 * third parties, the bill of materials and the types of `headgate/plugin`. `npm run lint` checks the types, not the build.
 */

import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildConsole } from './build-console.ts'
import { merged } from './merge-chunks.ts'
import { patches } from './patches.ts'
import { rollUp } from './roll-up.ts'
import { renderNotices } from './supply/notices.ts'
import { bundledPackages, installedPackages } from './supply/packages.ts'
import { packageBill } from './supply/sbom.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const product = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
/** The module that package.json exports as `headgate/plugin`. */
const publicModule = 'src/plugin/plugin.ts'
// The modes of the files go into the package, so the umask of whoever builds must not decide them.
process.umask(0o022)
rmSync(`${root}/dist`, { recursive: true, force: true })

const sources = {
  main: 'src/main.ts',
  'config-thread': 'src/config/thread/thread.ts',
  'editor-thread': 'src/editor-thread/service-thread.ts',
  'page-thread': 'src/parts/tools/kit/page-thread.ts',
  'message-thread': 'src/parts/tools/mcp/message-thread.ts',
  plugin: publicModule,
}

/** The starts that must load few files, and little code that they do not need: the entries, and the commands that are started most. */
const starts = [
  ...Object.values(sources).map((source) => [source]),
  ['src/cli/shell/start.ts'],
  // An editor that shows lines, and no screen, loads no canvas.
  ['src/cli/edit.ts'],
  ['src/cli/edit.ts', 'src/tui/terminal/canvas.tsx'],
  ['src/cli/console.ts'],
  ['src/cli/validate/validate.ts'],
  ['src/cli/gateway/run.ts', 'src/gateway/doors/open-doors.ts', 'src/store/sqlite/sqlite-store.ts'],
]

/** Packages that npm installs up to four times, because the exporters ask for exactly the patch release before ours. */
const oneCopy = ['core', 'resources', 'sdk-metrics'].map((name) => `@opentelemetry/${name}`)

const common = {
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // These packages are installed beside the bundle: `libsql` is native, and `require` loads the others when a route or a body needs them.
  external: Object.keys(product.dependencies),
  logLevel: 'warning',
} as const

const chunks = await build({
  ...common,
  entryPoints: sources,
  legalComments: 'none',
  metafile: true,
  plugins: [patches],
  write: false,
  chunkNames: '[hash]/[name]',
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  alias: {
    // The CommonJS form of this package requires its modules in a way that no bundler sees.
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    // Ink draws nothing where the variable CI is set, and imports the developer tools of React. A user at a terminal needs neither.
    'is-in-ci': './tools/absent.cjs',
    'react-devtools-core': './tools/absent.cjs',
    // Web pages are read without their styles, and Turndown gets elements instead of texts, so neither needs these packages.
    '@acemir/cssom': './tools/absent.cjs',
    '@mixmark-io/domino': './tools/absent.cjs',
    // Fastify is started without schemas, plugins, HTTP/2 and injected requests, so it does not need these packages.
    '@fastify/ajv-compiler': './tools/no-schemas.cjs',
    '@fastify/fast-json-stringify-compiler': './tools/no-schemas.cjs',
    'light-my-request': './tools/absent.cjs',
    'node:http2': './tools/absent.cjs',
    semver: './tools/absent.cjs',
    // One copy of each is enough, in the form of modules, of which the bundle takes only what is used.
    ...Object.fromEntries(oneCopy.map((name) => [name, `./node_modules/${name}/build/esm/index.js`])),
  },
})
await build({
  ...common,
  entryPoints: Object.fromEntries(Object.keys(sources).map((name) => [name, `dist/${name}.js`])),
  plugins: [merged(chunks, root, starts)],
  legalComments: 'inline',
  minifySyntax: true,
  minifyWhitespace: true,
  // Bundled CommonJS packages expect these names. main.js gets the line too, so it is written without `node:`, which old Node cannot
  // import.
  banner: {
    js: [
      "import { createRequire as __createRequire } from 'module'",
      'const require = __createRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname',
    ].join(';'),
  },
})
const pages = await buildConsole(root)
const bundled = bundledPackages(root, [chunks.metafile, pages])
writeFileSync(`${root}/dist/third-party-notices.txt`, renderNotices(bundled))
writeFileSync(`${root}/dist/sbom.cdx.json`, packageBill(product, bundled, installedPackages(root)))
writeFileSync(`${root}/dist/plugin.d.ts`, rollUp(root, publicModule))
chmodSync(`${root}/dist/main.js`, 0o755)
