/** The context of a review: the configuration around the routes, the programs on the PATH, and the results of samples. */

import { type Config, defaultProfile, type RouteSource } from '../../config/config.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { hasProgram } from '../../process/find-program.ts'
import { quietBook } from '../check.ts'
import type { Catalogue } from '../compile.ts'
import type { JobBook } from '../jobs.ts'
import { FileTexts } from './file-texts.ts'
import type { Sampled } from './sampled.ts'

export type ReviewContext = {
  readonly config: Config
  readonly catalogue: Catalogue
  readonly texts: FileTexts
  /** Whether the command `name` is on the PATH `search`. */
  readonly hasProgram: (name: string, search: string) => boolean
  /** The jobs that routes can name, read when they are first asked for. */
  readonly jobs: () => JobBook
  /** The names of sections under `platforms` with a mistake. That a target lacks keys of such a section is not reported. */
  readonly doubtful: ReadonlySet<string>
  /** The results of samples, by the routes that they were tried on. */
  readonly samples?: ReadonlyMap<RouteSource, Sampled>
  /** The results of the built-in samples of the senders that routes name. */
  readonly senderSamples?: ReadonlyMap<RouteSource, Sampled>
}

/** Returns what the needs of a route's or job's keys may lead to: the sections of `config.yaml`, and the environment of the gateway. */
export const sectionsAround = ({ config }: Pick<ReviewContext, 'config'>) => ({
  top: config.sections,
  env: config.profiles.get(defaultProfile)?.env ?? {},
})

/** Makes the context of a review. `diagnostics`: those of the configuration. */
export const reviewContext = (
  config: Config,
  catalogue: Catalogue,
  texts: ReadonlyMap<string, string>,
  diagnostics: readonly Diagnostic[] = [],
): ReviewContext => {
  const isThere = new Map<string, boolean>()
  let book: JobBook | undefined
  return {
    config,
    catalogue,
    texts: new FileTexts(texts),
    jobs: () => {
      book ??= quietBook(config, catalogue)
      return book
    },
    doubtful: new Set(diagnostics.flatMap(({ pointer }) => /^\/platforms\/([^/]+)\/./.exec(pointer)?.[1] ?? [])),
    hasProgram: (name, search) => {
      const key = `${name}\n${search}`
      const has = isThere.get(key) ?? hasProgram(name, search)
      isThere.set(key, has)
      return has
    },
  }
}
