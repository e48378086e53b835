/** The names that completion offers: of routes, samples, targets, jobs and findings. It reads files lightly and loads little. */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Argument, Command, Option } from 'commander'
import { parseObject } from '../../core/json.ts'
import { pathOf } from './suggest.ts'

/** What may stand next, and what it is. */
export type Candidate = { readonly value: string; readonly about?: string }

export type Kind =
  | 'files'
  | 'routes'
  | 'subscriptions'
  | 'samples'
  | 'providers'
  | 'targets'
  | 'jobs'
  | 'profiles'
  | 'skills'
  | 'codes'
  | 'outcomes'
  | 'states'

const optionKinds: { readonly [flag: string]: Kind } = {
  '--data-dir': 'files',
  '--config': 'files',
  '--secret-file': 'files',
  '--baseline': 'files',
  '--payload': 'files',
  '--private-key': 'files',
  '--prompt': 'files',
  '--body': 'files',
  '--header': 'files',
  '--filter': 'files',
  '--from': 'files',
  '--route': 'routes',
  '--from-route': 'routes',
  '--sample': 'samples',
  '--deliver': 'targets',
  '--job': 'jobs',
  '--cron-job': 'jobs',
  '--profile': 'profiles',
  '--route-profile': 'profiles',
  '--select': 'codes',
  '--ignore': 'codes',
  '--fix': 'codes',
  '--skills': 'skills',
  '--outcome': 'outcomes',
  '--expect': 'outcomes',
  '--state': 'states',
}

export const kindOfOption = ({ long }: Option): Kind | undefined => optionKinds[long ?? '']

const argumentKinds: { readonly [argument: string]: Kind } = {
  'webhook subscribe name': 'subscriptions',
  'webhook remove name': 'subscriptions',
  'webhook enable name': 'subscriptions',
  'webhook disable name': 'subscriptions',
  'samples show name': 'samples',
  'samples list provider': 'providers',
  'targets test name': 'targets',
  'webhook name': 'routes',
  'edit route': 'routes',
  'sessions route': 'routes',
  job: 'jobs',
  code: 'codes',
  paths: 'files',
  files: 'files',
  file: 'files',
}

/** By the command and the argument's name, by the noun and that name, or by that name alone. */
export const kindOfArgument = (command: Command, argument: Argument): Kind | undefined => {
  const path = pathOf(command)
  const name = argument.name()
  return argumentKinds[`${path} ${name}`] ?? argumentKinds[`${path.split(' ')[0]} ${name}`] ?? argumentKinds[name]
}

export const namesOf = async (kind: Exclude<Kind, 'files'>, dataDir: string): Promise<readonly Candidate[]> => {
  const found = await readers[kind](dataDir)
  return found.filter(({ value }) => harmless.test(value)).slice(0, most)
}

/** What a shell takes as it is. A name that somebody wrote into a file otherwise is not offered, for a shell could run it. */
const harmless = /^[\w.@%+,/-]{1,128}$/
const most = 2_000
/** A larger file would make somebody wait who only pressed a key. */
const maxBytes = 2 * 1024 * 1024

type Reader = (dataDir: string) => Promise<readonly Candidate[]>

const subscriptions = (dataDir: string): Candidate[] =>
  keysOf(parseObject(textOf(join(dataDir, 'webhook_subscriptions.json'))), 'a subscription')

const readers: { readonly [kind in Exclude<Kind, 'files'>]: Reader } = {
  subscriptions: async (dataDir) => subscriptions(dataDir),
  routes: async (dataDir) => [...subscriptions(dataDir), ...(await configured(dataDir, routePaths, 'in config.yaml'))],
  jobs: async (dataDir) => [
    ...keysOf(parseObject(textOf(join(dataDir, 'cron_jobs.json'))), 'a job'),
    ...(await configured(dataDir, [['jobs']], 'in config.yaml')),
  ],
  async samples(dataDir) {
    const { listSamples } = await import('../../app/samples/gallery.ts')
    return listSamples({ dataDir }).map(({ name, source }) => ({ value: name, about: source }))
  },
  async providers(dataDir) {
    const { listSamples } = await import('../../app/samples/gallery.ts')
    return [...new Set(listSamples({ dataDir }).map(({ name }) => name.split('/')[0] ?? ''))].map((value) => ({ value }))
  },
  async targets() {
    const { targetsByName } = await import('../../parts/targets/index.ts')
    return [...targetsByName.values()].map(({ name, title }) => ({ value: name, about: title }))
  },
  profiles: async (dataDir) => [{ value: 'default' }, ...foldersIn(join(dataDir, 'profiles')).map((value) => ({ value }))],
  skills: async (dataDir) => foldersIn(join(dataDir, 'skills')).map((value) => ({ value })),
  async codes() {
    const { catalogue } = await import('../../core/diagnostic.ts')
    return Object.entries(catalogue).map(([value, { title }]) => ({ value, about: title }))
  },
  async outcomes() {
    const { outcomeNames } = await import('../../core/outcome-table.ts')
    return outcomeNames.map((value) => ({ value }))
  },
  async states() {
    const { states } = await import('../../app/events/event-selection.ts')
    return states.map((value) => ({ value }))
  },
}

const routePaths = [
  ['platforms', 'webhook', 'routes'],
  ['platforms', 'webhook', 'extra', 'routes'],
] as const

/** The keys of maps in `config.yaml`, which is neither checked nor resolved. */
const configured = async (dataDir: string, paths: readonly (readonly string[])[], about: string): Promise<Candidate[]> => {
  const text = textOf(join(dataDir, 'config.yaml'))
  if (text === '') return []
  const { eventsOf, YamlTree } = await import('../../config/yaml/yaml-tree.ts')
  try {
    const tree = new YamlTree(text, eventsOf(text))
    const below = (node: number | undefined, key: string): number | undefined =>
      node === undefined ? undefined : tree.members(node).find(({ name }) => name === key)?.value
    return paths.flatMap((path) => {
      const at = path.reduce(below, tree.root)
      return at === undefined ? [] : tree.members(at).map(({ name }) => ({ value: name, about }))
    })
  } catch {
    // It is being written, or has a mistake: other names are offered all the same.
    return []
  }
}

const keysOf = (map: object | undefined, about: string): Candidate[] => Object.keys(map ?? {}).map((value) => ({ value, about }))

const textOf = (file: string): string => {
  try {
    return statSync(file).size <= maxBytes ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}

const foldersIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
