/** Builds `dist/`: one bundle in lazy chunks, so that a command loads only what it needs. `npm run lint` checks the types, not the build. */

import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { renderNotices } from './notices.ts'
import { rollUp } from './roll-up.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { dependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
/** What package.json exports as `headgate/plugin`. */
const publicModule = 'src/plugin/plugin.ts'
rmSync(`${root}/dist`, { recursive: true, force: true })

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [
    { in: 'src/main.ts', out: 'main' },
    { in: 'src/store/sqlite/thread.ts', out: 'store-thread' },
    { in: 'src/config/thread/thread.ts', out: 'config-thread' },
    { in: 'src/tui/desk/thread.ts', out: 'editor-thread' },
    { in: 'src/parts/tools/kit/page-thread.ts', out: 'page-thread' },
    { in: publicModule, out: 'plugin' },
  ],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  metafile: true,
  // These packages are installed beside the bundle: one is native, the other is loaded with `require` when a route needs it.
  external: Object.keys(dependencies),
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  alias: {
    // Its CommonJS form asks for its modules in a way that no bundler sees.
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    // Ink draws nothing where CI is set, and wants the developer tools of React: neither is for somebody who sits at a terminal.
    'is-in-ci': './tools/absent.cjs',
    'react-devtools-core': './tools/absent.cjs',
    // Pages are read without their styles, and Turndown gets elements instead of texts.
    '@acemir/cssom': './tools/absent.cjs',
    '@mixmark-io/domino': './tools/absent.cjs',
  },
  // Bundled CommonJS packages expect these names. main.js gets the line too, so it is written without `node:`, which old Node cannot import.
  banner: {
    js: [
      "import { createRequire as __createRequire } from 'module'",
      'const require = __createRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname',
    ].join(';'),
  },
  logLevel: 'warning',
})
writeFileSync(`${root}/dist/third-party-notices.txt`, renderNotices(root, metafile))
writeFileSync(`${root}/dist/plugin.d.ts`, rollUp(root, publicModule))
chmodSync(`${root}/dist/main.js`, 0o755)
