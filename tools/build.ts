/** Builds `dist/`: types checked by `npm run lint`, here one bundle in lazy chunks, so that a command loads only what it needs. */

import { chmodSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
rmSync(`${root}/dist`, { recursive: true, force: true })

await build({
  absWorkingDir: root,
  entryPoints: [
    { in: 'src/main.ts', out: 'main' },
    { in: 'src/store/sqlite/thread.ts', out: 'store-thread' },
  ],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  // Native, or loaded with require when a route asks for it.
  external: ['libsql', 'jsonata', 'ai', '@ai-sdk/*'],
  // Bundled CommonJS packages expect these. It stands in main.js too: without `node:`, which an older Node cannot import.
  banner: {
    js: [
      "import { createRequire as __createRequire } from 'module'",
      'const require = __createRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname',
    ].join(';'),
  },
  logLevel: 'warning',
})
chmodSync(`${root}/dist/main.js`, 0o755)
