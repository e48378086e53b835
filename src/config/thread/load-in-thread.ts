/** Loads a configuration in a thread of its own, so that requests do not wait. The thread sends only the routes that have changed. */

import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import type { Diagnostic, SourceRange } from '../../core/diagnostic.ts'
import { restoreDigits } from '../../core/written-digits.ts'
import { startThread } from '../../process/start-thread.ts'
import type { Config } from '../config.ts'
import type { Loaded, LoadOptions } from '../load.ts'
import { type CarriedConfig, isSoughtPlace, type PlainRoute, unpackConfig } from './carried-config.ts'
import type { ConfigThreadRequest, ThreadMessages } from './thread.ts'

export type ConfigReading = Pick<Loaded, 'config' | 'diagnostics'> & {
  /** Finds the lines and columns of Diagnostics, and resolves to the Diagnostics with these. */
  readonly located: (found: readonly Diagnostic[]) => Promise<readonly Diagnostic[]>
}

/**
 * Reads the present files, and resolves to the result of `use` on the reading. Routes that have not changed are taken from `known`. The
 * reading's `located` works until `use` has ended.
 */
export type Read = <T>(known: Config['routes'], signal: AbortSignal, use: (reading: ConfigReading) => Promise<T>) => Promise<T>

/** Makes the reading of a configuration that this thread itself has loaded. All places of its Diagnostics are known already. */
export const readingOf = ({ config, diagnostics }: Pick<Loaded, 'config' | 'diagnostics'>): ConfigReading => ({
  config,
  diagnostics,
  located: async (found) => found,
})

const configThread = { built: './config-thread.js', source: new URL('./thread.ts', import.meta.url) }

/** The most routes or places in one message. Receiving a message holds up the event loop, so a message must be short. */
const pieceSize = 200
/** The most memory that the thread may take. A file that needs more fails the loading, and does not end the gateway. */
const threadLimits = { maxOldGenerationSizeMb: 1_024 }

/**
 * Loads the configuration in a thread, which runs until `use` has ended, and resolves to the result of `use`. Rejects when the loading
 * fails, when `signal` aborts before or while the thread is asked, and with the error of `use`.
 */
export const loadInThread = async <T>(
  options: LoadOptions,
  knownRoutes: Config['routes'],
  signal: AbortSignal,
  use: (reading: ConfigReading) => Promise<T>,
): Promise<T> => {
  signal.throwIfAborted()
  const worker = startThread(configThread, { ...options, env: { ...options.env } }, { resourceLimits: threadLimits })
  // `nextMessage` rejects with an error of the thread. But between two messages it does not listen, and an error that no listener takes
  // would end the process.
  worker.on('error', () => {})
  const end = (): void => void worker.terminate()
  signal.addEventListener('abort', end)
  try {
    const carried = (await nextMessage(worker)) as ThreadMessages['loaded']
    const config = unpackConfig(carried, options, await routesOf(worker, carried, knownRoutes))
    return await use({ config, diagnostics: carried.diagnostics, located: (found) => located(worker, found) })
  } finally {
    signal.removeEventListener('abort', end)
    await worker.terminate()
  }
}

const nextMessage = async (worker: Worker): Promise<unknown> => {
  const ended = new AbortController()
  const end = (): void => ended.abort()
  worker.once('exit', end)
  try {
    const [message] = await once(worker, 'message', { signal: ended.signal })
    return message
  } catch (error) {
    throw ended.signal.aborted ? new Error('the reading of the configuration was broken off') : error
  } finally {
    worker.off('exit', end)
  }
}

const askThread = (worker: Worker, asked: ConfigThreadRequest): Promise<unknown> => {
  const message = nextMessage(worker)
  worker.postMessage(asked)
  return message
}

/** Returns every route: from `knownRoutes` where the digest is equal, else from the thread. */
const routesOf = async (worker: Worker, { routes }: CarriedConfig, knownRoutes: Config['routes']): Promise<Map<string, PlainRoute>> => {
  const all = new Map<string, PlainRoute>()
  const changed: string[] = []
  for (const [name, digest] of routes) {
    const same = knownRoutes.get(name)
    if (same?.digest === digest) all.set(name, same)
    else changed.push(name)
  }
  for (let at = 0; at < changed.length; at += pieceSize) {
    const { routes: some, digits } = (await askThread(worker, { routes: changed.slice(at, at + pieceSize) })) as ThreadMessages['routes']
    restoreDigits(some, digits)
    for (const route of some) all.set(route.name, route)
  }
  return all
}

const located = async (worker: Worker, diagnostics: readonly Diagnostic[]): Promise<readonly Diagnostic[]> => {
  const all: Diagnostic[] = []
  for (let at = 0; at < diagnostics.length; at += pieceSize) {
    const some = diagnostics.slice(at, at + pieceSize)
    const sought = some.flatMap(({ place }) => (isSoughtPlace(place) ? [place] : []))
    const places = sought.length > 0 ? ((await askThread(worker, { places: sought })) as ThreadMessages['places']) : []
    const by = new Map<SourceRange, SourceRange | undefined>(sought.map((place, i) => [place, places[i]]))
    all.push(...some.map((each) => ({ ...each, ...withPlace(by.get(each.place as SourceRange)) })))
  }
  return all
}

const withPlace = (place: SourceRange | undefined): { place?: SourceRange } => (place ? { place } : {})
