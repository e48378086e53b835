/**
 * Tries the samples of the senders of routes, even when the user asks for no samples. The gateway's own code reads the
 * events of the samples.
 */

import type { RouteSource } from '../../config/config.ts'
import { Fault } from '../../core/fault.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { ChosenSample } from '../../dryrun/samples/choose-samples.ts'
import { builtInSamples, type KnownSample, listSamples, readSample } from '../../dryrun/samples/gallery.ts'
import { folderOf } from '../../dryrun/samples/sender-folders.ts'
import { compileTypeList } from '../../parts/listed-types.ts'
import { compileParser } from '../../parts/stages/json.ts'
import type { Catalogue } from '../../plan/compile.ts'
import { routePath } from '../../plan/compile.ts'
import { likelySenders } from '../../plan/review/likely-senders.ts'
import type { Sampled, TakenSample } from '../../plan/review/sampled.ts'
import { pathsOf } from '../../plan/review/samples/near-paths.ts'
import { schemesFor } from '../../plan/route-schemes.ts'
import { sampleRequest } from './try-samples.ts'

/**
 * For each route, the samples of its senders whose event types the route lists. A route whose `verify` names no sender, or that has no such
 * samples, is left out.
 */
export type SenderSamples = ReadonlyMap<RouteSource, Sampled>

/** Reads the events of the samples for each route. `withoutRefs`: only built-in samples are tried. */
export const trySenderSamples = (
  routes: readonly RouteSource[],
  catalogue: Catalogue,
  { workspace, withoutRefs = false }: { readonly workspace: Workspace; readonly withoutRefs?: boolean | undefined },
): SenderSamples => {
  const tried = new Map<RouteSource, Sampled>()
  const bySender = new Map<string, readonly TakenSample[]>()
  const byEvents = new Map<string, Sampled>()
  let gallery: readonly KnownSample[] | undefined
  for (const route of routes) {
    const names = likelySenders(route, catalogue).map(({ name }) => name)
    if (names.length === 0) continue
    gallery ??= withoutRefs ? builtInSamples() : listSamples(workspace)
    const sender = JSON.stringify(names)
    const all = bySender.get(sender) ?? readEvents(route, catalogue, samplesOfSenders(names, gallery))
    bySender.set(sender, all)
    const key = JSON.stringify([names, route.spec.events])
    const listed = byEvents.get(key) ?? onlyListed(all, route.spec.events)
    byEvents.set(key, listed)
    if (listed.taken.length > 0) tried.set(route, listed)
  }
  return tried
}

/** Returns the samples of senders. */
const samplesOfSenders = (names: readonly string[], gallery: readonly KnownSample[]): readonly ChosenSample[] => {
  const folders = new Set(names.map(folderOf))
  return gallery.filter(({ name }) => folders.has(name.split('/')[0] ?? '')).flatMap(readOrNone)
}

/** Reads a sample. A sample that cannot be read is left out, because nobody asked for it. */
const readOrNone = (known: KnownSample): readonly ChosenSample[] => {
  try {
    return [{ ...known, sample: readSample(known) }]
  } catch (error) {
    if (error instanceof Fault) return []
    throw error
  }
}

/**
 * Returns the events of samples, as the gateway reads them. The conditions of the route are not evaluated: each event counts as passing.
 */
const readEvents = (route: RouteSource, catalogue: Catalogue, samples: readonly ChosenSample[]): readonly TakenSample[] => {
  const { name, profile, spec } = route
  const parse = compileParser({ name, profile, path: routePath(route), schemes: schemesFor(route, catalogue) }, spec)
  return samples.flatMap(({ name, sample }) => {
    const event = parse(sampleRequest(route, sample, Buffer.from(sample.body)))
    return 'kind' in event ? [] : [{ name, event, passes: true, holds: new Map<string, boolean>() }]
  })
}

/** Returns the samples whose event types are listed, and the paths in their payloads. An empty list means all event types. */
const onlyListed = (taken: readonly TakenSample[], events: readonly string[] = []): Sampled => {
  const isListed = events.length === 0 ? () => true : compileTypeList(events)
  const kept = taken.filter(({ event }) => isListed(event))
  let paths: readonly string[] | undefined
  return {
    taken: kept,
    paths: () => {
      paths ??= pathsOf(kept.map(({ event }) => event.payload))
      return paths
    },
  }
}
