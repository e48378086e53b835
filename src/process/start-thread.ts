/** Starts a thread of this program, from the build or from sources. */

import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'
// A thread takes the mark of carried numbers over from this one, so this one must have made it before.
import '../core/carried-numbers.ts'

/**
 * The entry of a thread, as its owner names it. `built`: its file in the build, where all files lie in one folder (`tools/build.ts`).
 * `source`: its source.
 */
export type ThreadEntry = { readonly built: string; readonly source: URL }

/** The bundled code of the threads that were started from sources, by source. */
const fromSources = new Map<string, string>()

/**
 * Starts a thread. `workerData`: the data that the thread gets. When the program runs from sources, the thread's source is bundled once,
 * because a TypeScript loader in each thread would take half a second.
 */
export const startThread = ({ built, source }: ThreadEntry, workerData: unknown, options: WorkerOptions = {}): Worker => {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(built, import.meta.url), { ...options, workerData })
  const file = fileURLToPath(source)
  const code = fromSources.get(file) ?? bundleThread(file)
  fromSources.set(file, code)
  return new Worker(code, { ...options, eval: true, workerData, execArgv: [] })
}

const bundleThread = (file: string): string => {
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild')
  const { outputFiles } = buildSync({
    entryPoints: [file],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    packages: 'external',
  })
  // The code gets the `require` of this file, because its own would search for packages from the working directory.
  return `require = require('node:module').createRequire('${import.meta.url}')\n${outputFiles[0]?.text}`
}
