/** The thread that reads a changed configuration, because parsing 10,000 routes takes longer than a request may wait. */

import { parentPort, workerData } from 'node:worker_threads'
import type { SourceRange } from '../../core/diagnostic.ts'
import { type WrittenDigits, writtenDigitsIn } from '../../core/written-digits.ts'
import { type LoadOptions, loadConfig } from '../load.ts'
import { parseSource, type Source } from '../yaml/source.ts'
import { type CarriedConfig, carryConfig, type PlainRoute, type SoughtPlace, withoutPlace } from './carried-config.ts'

/** A request to the thread: for the routes of these names, or for the places of these paths in files. */
export type ConfigThreadRequest =
  | { readonly routes: readonly string[] }
  | { readonly places: readonly (SoughtPlace & Pick<SourceRange, 'file'>)[] }
/**
 * The messages of the thread. `loaded` is its first message, and comes without a request. `routes` and `places` answer requests; places are
 * in the order of the request.
 */
export type ThreadMessages = {
  readonly loaded: CarriedConfig
  readonly routes: { readonly routes: readonly PlainRoute[]; readonly digits: WrittenDigits }
  readonly places: readonly SourceRange[]
}

const port = parentPort
if (port === null) throw new Error('this file is the entry of a worker thread')

const loaded = loadConfig(workerData as LoadOptions)
const sources = new Map<string, Source['place'] | undefined>()

const placeIn = (file: string): Source['place'] => {
  const text = loaded.texts.get(file)
  const { source, rest } = sources.has(file) || text === undefined ? {} : parseSource(file, text)
  const place = sources.get(file) ?? (source ?? rest)?.place
  sources.set(file, place)
  return place ?? (() => ({ file, line: 1, column: 1, endLine: 1, endColumn: 1 }))
}

const routesOf = (names: readonly string[]): ThreadMessages['routes'] => {
  const routes = names.flatMap((name) => {
    const route = loaded.config.routes.get(name)
    return route ? [withoutPlace(route)] : []
  })
  return { routes, digits: writtenDigitsIn(routes) }
}

port.on('message', (asked: ConfigThreadRequest) => {
  if ('routes' in asked) port.postMessage(routesOf(asked.routes))
  else port.postMessage(asked.places.map(({ file, path, of }) => placeIn(file)(path, of)))
})
port.postMessage(carryConfig(loaded))
