/**
 * Reads the names that a shell offers when the user presses Tab: of routes, samples, targets, jobs and the like. The user waits meanwhile,
 * so files are not checked, and little is loaded.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { parseObject } from '../core/json.ts'

/** A name that is offered. `about`: a few words that zsh and fish show beside the name. */
export type Candidate = { readonly value: string; readonly about?: string }

/**
 * The kinds of names. `providers`: the first parts of the names of samples (`github` of `github/push`). `codes`: the codes of findings.
 * `states`: the states of events. `alerts`: the kinds of alerts, and the word for all of them.
 */
export type NameKind =
  | 'routes'
  | 'subscriptions'
  | 'samples'
  | 'providers'
  | 'targets'
  | 'jobs'
  | 'profiles'
  | 'agents'
  | 'skills'
  | 'codes'
  | 'outcomes'
  | 'states'
  | 'alerts'

/**
 * Returns the names of a kind in a data directory and its `config.yaml`, or the file that stands for it, at most 2,000; jobs and skills are those of the default profile. A file that cannot be
 * read, or is too large to be read quickly, gives no names. Names with a character that a shell could act on are left out, and so are names
 * of more than 128 characters.
 */
export const readNames = async (kind: NameKind, files: ConfigPlace): Promise<readonly Candidate[]> => {
  const found = await readers[kind](files)
  return found.filter(({ value }) => harmlessName.test(value)).slice(0, maxNames)
}

/** Matches names in which no character has a meaning for a shell. Any other name in a file is not offered, because a shell could run it. */
const harmlessName = /^[\w.@%+,/-]{1,128}$/
const maxNames = 2_000
/** A larger file is not read, because the user waits for the names after a key press. */
const maxBytes = 2 * 1024 * 1024

/** `config`: the path of `config.yaml`, or of the file that stands for it. */
type ConfigPlace = { readonly dataDir: string; readonly config: string }
type Reader = (files: ConfigPlace) => Promise<readonly Candidate[]>

const subscriptions = (dataDir: string): Candidate[] =>
  keyCandidates(parseObject(shortFileText(join(dataDir, 'webhook_subscriptions.json'))), 'a subscription')

const readers: { readonly [kind in NameKind]: Reader } = {
  subscriptions: async ({ dataDir }) => subscriptions(dataDir),
  routes: async (files) => [
    ...subscriptions(files.dataDir),
    ...(await configuredNames(files, routePaths)),
    ...(await includedNames(files)),
  ],
  jobs: async (files) => [
    ...keyCandidates(parseObject(shortFileText(join(files.dataDir, 'cron_jobs.json'))), 'a job'),
    ...(await configuredNames(files, [['jobs']])),
  ],
  async samples({ dataDir }) {
    const { listSamples } = await import('../dryrun/samples/gallery.ts')
    return listSamples({ dataDir }).map(({ name, source }) => ({ value: name, about: source }))
  },
  async providers({ dataDir }) {
    const { listSamples } = await import('../dryrun/samples/gallery.ts')
    return [...new Set(listSamples({ dataDir }).map(({ name }) => name.split('/')[0] ?? ''))].map((value) => ({ value }))
  },
  async targets() {
    const { targetsByName } = await import('../parts/targets/index.ts')
    return [...targetsByName.values()].map(({ name, title }) => ({ value: name, about: title }))
  },
  profiles: async ({ dataDir }) => [{ value: 'default' }, ...namesIn(join(dataDir, 'profiles')).map((value) => ({ value }))],
  agents: async (files) => [{ value: 'default' }, ...(await configuredNames(files, [['agents']]))],
  skills: async ({ dataDir }) => namesIn(join(dataDir, 'skills')).map((value) => ({ value })),
  async codes() {
    const { codeCatalogue } = await import('../core/diagnostic.ts')
    return Object.entries(codeCatalogue).map(([value, { title }]) => ({ value, about: title }))
  },
  async outcomes() {
    const { outcomeNames } = await import('../core/outcome-table.ts')
    return outcomeNames.map((value) => ({ value }))
  },
  async states() {
    const { states } = await import('../operate/events/event-selection.ts')
    return states.map((value) => ({ value }))
  },
  async alerts() {
    const { alertKinds } = await import('../features/alerts/rules.ts')
    return ['all', ...alertKinds].map((value) => ({ value }))
  },
}

const routePaths = [
  ['platforms', 'webhook', 'routes'],
  ['platforms', 'webhook', 'extra', 'routes'],
] as const

/** Returns the keys of the maps at `paths` in the main file of the configuration. */
const configuredNames = ({ config }: ConfigPlace, paths: readonly (readonly string[])[]): Promise<Candidate[]> =>
  namesInYaml(shortFileText(config), paths, `in ${basename(config)}`)

/** Returns the names of the routes in included files, each with its file. The files that are read have at most `maxBytes` together. */
const includedNames = async ({ config }: ConfigPlace): Promise<Candidate[]> => {
  if (!/^["']?include/m.test(shortFileText(config))) return []
  const { includedFiles } = await import('../config/include/included-files.ts')
  const names: Candidate[] = []
  let bytes = 0
  for (const file of includedFiles(config).files) {
    const text = shortFileText(file)
    bytes += text.length
    if (bytes > maxBytes) break
    names.push(...(await namesInYaml(text, [['routes']], `in ${relative(dirname(config), file)}`)))
  }
  return names
}

/** Returns the keys of the maps at `paths` in a text. The text is not checked, and its references to the environment are not resolved. */
const namesInYaml = async (text: string, paths: readonly (readonly string[])[], about: string): Promise<Candidate[]> => {
  if (text === '') return []
  const { eventsOf, YamlTree } = await import('../config/yaml/yaml-tree.ts')
  try {
    const tree = new YamlTree(text, eventsOf(text))
    const below = (node: number | undefined, key: string): number | undefined =>
      node === undefined ? undefined : tree.members(node).find(({ name }) => name === key)?.value
    return paths.flatMap((path) => {
      const at = path.reduce(below, tree.root)
      return at === undefined ? [] : tree.members(at).map(({ name }) => ({ value: name, about }))
    })
  } catch {
    // Somebody is writing the file, or it has a mistake. The names in other files are offered all the same.
    return []
  }
}

const keyCandidates = (map: object | undefined, about: string): Candidate[] => Object.keys(map ?? {}).map((value) => ({ value, about }))

const shortFileText = (file: string): string => {
  try {
    const stat = statSync(file)
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
