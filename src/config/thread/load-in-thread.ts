/** Loads a configuration in a thread of its own, so that nobody waits for it; only what changed comes over. */

import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import type { Diagnostic, Place } from '../../core/diagnostic.ts'
import { startThread } from '../../core/start-thread.ts'
import type { Config } from '../config.ts'
import type { Loaded, LoadOptions } from '../load.ts'
import { type Carried, isSought, type PlainRoute, unpack } from './carried-config.ts'
import type { Answers, Asked } from './thread.ts'

/** What is read, and who knows where in the files it stands. */
export type Reading = Pick<Loaded, 'config' | 'diagnostics'> & {
  /** The same findings, with lines and columns. */
  readonly located: (found: readonly Diagnostic[]) => Promise<readonly Diagnostic[]>
}

/** Reads the files as they are now; what is known already need not be read out again. */
export type Read = <T>(known: Config['routes'], signal: AbortSignal, use: (reading: Reading) => Promise<T>) => Promise<T>

/** What was loaded in this thread. */
export const readingOf = ({ config, diagnostics }: Pick<Loaded, 'config' | 'diagnostics'>): Reading => ({
  config,
  diagnostics,
  located: async (found) => found,
})

/** Routes or places that come over in one piece: taking them in holds the loop. */
const pieceSize = 200
/** A file that needs more is refused instead of taking the gateway along. */
const limits = { maxOldGenerationSizeMb: 1_024 }

/** Loads, and lets `use` work with it; nothing of the thread is left afterwards. Rejects when it could not, or when `signal` ends it. */
export const loadInThread = async <T>(
  options: LoadOptions,
  known: Config['routes'],
  signal: AbortSignal,
  use: (reading: Reading) => Promise<T>,
): Promise<T> => {
  signal.throwIfAborted()
  const worker = startThread('config', { ...options, env: { ...options.env } }, { resourceLimits: limits })
  // What goes wrong is said to whoever waits for an answer; between two of them nobody does.
  worker.on('error', () => {})
  const end = (): void => void worker.terminate()
  signal.addEventListener('abort', end)
  try {
    const carried = (await answer(worker)) as Answers['loaded']
    const config = unpack(carried, options, await routesOf(worker, carried, known))
    return await use({ config, diagnostics: carried.diagnostics, located: (found) => located(worker, found) })
  } finally {
    signal.removeEventListener('abort', end)
    await worker.terminate()
  }
}

const answer = async (worker: Worker): Promise<unknown> => {
  const ended = new AbortController()
  const end = (): void => ended.abort()
  worker.once('exit', end)
  try {
    const [said] = await once(worker, 'message', { signal: ended.signal })
    return said
  } catch (error) {
    throw ended.signal.aborted ? new Error('the reading of the configuration was broken off') : error
  } finally {
    worker.off('exit', end)
  }
}

const ask = (worker: Worker, asked: Asked): Promise<unknown> => {
  const said = answer(worker)
  worker.postMessage(asked)
  return said
}

/** Every route: as it is known where it says the same, else from the thread. */
const routesOf = async (worker: Worker, { routes }: Carried, known: Config['routes']): Promise<Map<string, PlainRoute>> => {
  const all = new Map<string, PlainRoute>()
  const changed: string[] = []
  for (const [name, digest] of routes) {
    const same = known.get(name)
    if (same?.digest === digest) all.set(name, same)
    else changed.push(name)
  }
  for (let at = 0; at < changed.length; at += pieceSize) {
    const some = (await ask(worker, { routes: changed.slice(at, at + pieceSize) })) as Answers['routes']
    for (const route of some) all.set(route.name, route)
  }
  return all
}

const located = async (worker: Worker, found: readonly Diagnostic[]): Promise<readonly Diagnostic[]> => {
  const all: Diagnostic[] = []
  for (let at = 0; at < found.length; at += pieceSize) {
    const some = found.slice(at, at + pieceSize)
    const sought = some.flatMap(({ place }) => (isSought(place) ? [place] : []))
    const places = sought.length > 0 ? ((await ask(worker, { places: sought })) as Answers['places']) : []
    const by = new Map<Place, Place | undefined>(sought.map((place, i) => [place, places[i]]))
    all.push(...some.map((each) => ({ ...each, ...placed(by.get(each.place as Place)) })))
  }
  return all
}

const placed = (place: Place | undefined): { place?: Place } => (place ? { place } : {})
