/**
 * Packs a loaded configuration as plain data for another thread. Of each route the data have only the name and the digest, because the
 * other thread knows most routes already.
 */

import { join, resolve } from 'node:path'
import type { Diagnostic, Path, SourceRange } from '../../core/diagnostic.ts'
import { restoreDigits, type WrittenDigits, writtenDigitsIn } from '../../core/written-digits.ts'
import { agentPath } from '../../parts/named-agents.ts'
import type { AgentSettings, Config, JobSource, Profile, RouteSource } from '../config.ts'
import { defaultProfile } from '../config.ts'
import type { Loaded, LoadOptions } from '../load.ts'

type Placeless<T> = Omit<T, 'place'>
/** `isWritten`: the profile has a config.yaml. */
type PlainProfile = Omit<Profile, 'place' | 'jobs'> & { readonly isWritten: boolean; readonly jobs: readonly Placeless<JobSource>[] }

export type PlainRoute = Placeless<RouteSource>

export type CarriedConfig = {
  readonly config: Omit<Config, 'routes' | 'profiles' | 'agents' | 'tools' | 'schemes'>
  readonly agents: readonly (readonly [name: string, agent: Placeless<AgentSettings>])[]
  readonly tools: Placeless<Config['tools']>
  readonly schemes: Placeless<Config['schemes']>
  readonly profiles: readonly PlainProfile[]
  /** The name, the digest and the included file of each route, in order. */
  readonly routes: readonly (readonly [name: string, digest: string, included: string | undefined])[]
  readonly diagnostics: readonly Diagnostic[]
  readonly digits: WrittenDigits
}

/** A place that is not found yet. Only the thread that read the files can find it, because it has their texts. */
export type SoughtPlace = { readonly path: Path; readonly of: 'key' | 'value' }

/** Makes the carried form of a loaded configuration. */
export const carryConfig = ({ config, diagnostics }: Pick<Loaded, 'config' | 'diagnostics'>): CarriedConfig => {
  const { routes, profiles, agents, tools, schemes, ...plain } = config
  const carried: Omit<CarriedConfig, 'digits'> = {
    config: plain,
    agents: [...agents].map(([name, agent]) => [name, withoutPlace(agent)]),
    tools: withoutPlace(tools),
    schemes: withoutPlace(schemes),
    profiles: [...profiles.values()].map(({ place, jobs, ...profile }) => ({
      ...profile,
      isWritten: place !== undefined,
      jobs: [...jobs.values()].map(withoutPlace),
    })),
    routes: [...routes.values()].map(({ name, digest, included }) => [name, digest, included]),
    diagnostics,
  }
  return { ...carried, digits: writtenDigitsIn(carried) }
}

/** Leaves out the function that finds places, because no function can be sent to another thread. */
export const withoutPlace = <T extends { readonly place?: unknown }>({ place: _, ...data }: T): Placeless<T> => data

/**
 * Makes a configuration of its carried form. `routes`: all its routes by name. The `place` functions of the configuration return places
 * without lines and columns (`isSoughtPlace`).
 */
export const unpackConfig = (carried: CarriedConfig, options: LoadOptions, routes: ReadonlyMap<string, PlainRoute>): Config => {
  restoreDigits(carried, carried.digits)
  const main = options.configFile === undefined ? join(resolve(options.dataDir), 'config.yaml') : resolve(options.configFile)
  const fileOf = ({ name, dir }: Pick<Profile, 'name' | 'dir'>): string => (name === defaultProfile ? main : join(dir, 'config.yaml'))
  const profiles = carried.profiles.map(({ isWritten, jobs, ...profile }): Profile => {
    const place = soughtPlaceIn(fileOf(profile))
    return { ...profile, jobs: new Map(jobs.map((job) => [job.id, { ...job, place }])), ...(isWritten ? { place } : {}) }
  })
  const place = soughtPlaceIn(main)
  return {
    ...carried.config,
    profiles: new Map(profiles.map((profile) => [profile.name, profile])),
    agents: new Map(
      carried.agents.map(([name, agent]) => [name, { ...agent, place: (path) => place([...agentPath(name), ...path], 'key') }]),
    ),
    tools: { ...carried.tools, place: (path) => place(path, 'value') },
    schemes: { ...carried.schemes, place: (path) => place(path, 'value') },
    routes: new Map(
      carried.routes.flatMap(([name, , included]) => {
        const route = routes.get(name)
        return route ? [[name, routeIn(route, included, main)]] : []
      }),
    ),
  }
}

/** Returns the route as it stands in its file now: a route that is known by its digest may have stood in another file. */
const routeIn = ({ included: _, ...route }: PlainRoute, included: string | undefined, main: string): RouteSource =>
  included === undefined ? { ...route, place: soughtPlaceIn(main) } : { ...route, included, place: soughtPlaceIn(included) }

const soughtPlaceIn =
  (file: string): RouteSource['place'] =>
  (path, of = 'value') => {
    const sought: SourceRange & SoughtPlace = { file, line: 1, column: 1, endLine: 1, endColumn: 1, path, of }
    return sought
  }

/** Whether the lines and columns of a place are still missing. */
export const isSoughtPlace = (place: SourceRange | undefined): place is SourceRange & SoughtPlace => place !== undefined && 'path' in place
