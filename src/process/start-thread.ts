/** Starts a thread of this program, from the build or from sources. */

import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'
// A thread takes the mark of carried numbers over from this one, so this one must have made it before.
import '../core/carried-numbers.ts'

/** The threads: the file of each in the build, and its source relative to this file. */
const threads = {
  editor: { built: './editor-thread.js', source: '../tui/service-thread.ts' },
  config: { built: './config-thread.js', source: '../config/thread/thread.ts' },
  page: { built: './page-thread.js', source: '../parts/tools/kit/page-thread.ts' },
  message: { built: './message-thread.js', source: '../parts/tools/mcp/message-thread.ts' },
} as const

/** The bundled code of the threads that were started from sources, by source. */
const fromSources = new Map<string, string>()

/**
 * Starts a thread. `workerData`: the data that the thread gets. In the build, the file of the thread lies beside this file. When the
 * program runs from sources, the thread's source is bundled once, because a TypeScript loader in each thread would take half a second.
 */
export const startThread = (name: keyof typeof threads, workerData: unknown, options: WorkerOptions = {}): Worker => {
  const { built, source } = threads[name]
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(built, import.meta.url), { ...options, workerData })
  const code = fromSources.get(source) ?? bundleThread(source)
  fromSources.set(source, code)
  return new Worker(code, { ...options, eval: true, workerData, execArgv: [] })
}

const bundleThread = (source: string): string => {
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild')
  const entryPoints = [fileURLToPath(new URL(source, import.meta.url))]
  const { outputFiles } = buildSync({ entryPoints, bundle: true, write: false, platform: 'node', target: 'node20', packages: 'external' })
  // The code gets the `require` of this file: its own would look for packages from the working directory.
  return `require = require('node:module').createRequire('${import.meta.url}')\n${outputFiles[0]?.text}`
}
