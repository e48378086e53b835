/**
 * Finds keys that cannot act because of another key: the schema says beside a key what it needs (`x-needs`), and one function checks it for
 * every section, route and job.
 */

import { type Code, type Diagnostic, diagnostic, type Path, pointerOf } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own, valueAt } from '../core/json.ts'
import type { Route } from '../generated/config.ts'
import { defaults } from '../generated/defaults.ts'
import { agentNames, agentPath, defaultAgent } from '../parts/named-agents.ts'
import { runners, runnersByName } from '../parts/runners/index.ts'
import type { RunnerKey } from '../parts/runners/runner.ts'
import { type Env, isUnknown } from './env.ts'
import { configSchema, mapWhere, schemaAt } from './schema-walk.ts'
import type { Source } from './yaml/source.ts'

/** What a key needs, so that it acts: another key, or a runner that reads it. */
export type Need = (KeyNeed | { readonly runner: RunnerKey }) & {
  /** The code of the finding where the needing key protects something, and would protect nothing. Absent: WH210. */
  readonly code?: Code
}

type KeyNeed = {
  /**
   * The key that must be used: a dotted path from the map that has the needing key; with a slash before it, from the top of `config.yaml`.
   */
  readonly key: string
  /** The values with which the needing key acts; a list must have one of them. Absent: each value that switches something on. */
  readonly is?: readonly Json[]
  /** The needed value must be a list of two or more. */
  readonly isList?: true
  /** Variables of the environment that do as well as the key. */
  readonly env?: readonly string[]
}

/** A key that cannot act, at its path into the checked data. */
/** `lack`: the message without the key's name, for a place that shows the key. */
type IdleKey = { readonly code: Code; readonly path: Path; readonly message: string; readonly lack: string; readonly help: string }

/** `top`: the data of `config.yaml`, for needs that begin there. `env`: the environment that the data is used with. */
type Around = { readonly top: JsonObject; readonly env: Env }

/** Whether a value switches something on: it is not absent, `false` or an empty list. */
export const isSwitchedOn = (value: Json | undefined): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)

/** Returns each key in `data`, which the schema `root` describes, that lacks what it needs. A key that is switched off needs nothing. */
export const idleKeys = (root: JsonObject, data: JsonObject, { top, env }: Around): readonly IdleKey[] => {
  const found: IdleKey[] = []
  const isOfAgent = ([section]: Path): boolean => root === configSchema && (section === 'agent' || section === 'agents')
  const agentsAt = (path: Path): readonly string[] => {
    if (isOfAgent(path)) return [path[0] === 'agents' ? String(path[1]) : defaultAgent]
    return root === configSchema ? configuredAgents(top) : agentNames(data.agent as Route['agent'])
  }
  const lackOf = (need: Need, path: Path): Sentence | 'off' | undefined => {
    if ('runner' in need) return otherRunner(need.runner, top, agentsAt(path), isOfAgent(path))
    const fromTop = need.key.startsWith('/')
    const steps = [...(fromTop ? [] : path.slice(0, -1)), ...need.key.replace('/', '').split('.')]
    const [from, schema] = fromTop ? [top, configSchema] : [data, root]
    const written = valueAt(from, steps)
    // Whoever writes `enabled: false` keeps the other keys on purpose.
    if (written === false && !need.is && need.code === undefined) return 'off'
    const needed = written ?? defaultAt(schema, from, steps)
    const isInEnv = need.env?.some((name) => isUnknown(env) || env[name]?.trim())
    return isMet(need, needed) || isInEnv ? undefined : otherKey(need, writtenPath(steps), needed)
  }
  mapWhere('x-needs', root, data, (node, value, path) => {
    for (const need of isSwitchedOn(value) ? (node['x-needs'] as unknown as readonly Need[]) : []) {
      const lack = lackOf(need, path)
      if (lack === undefined) continue
      const { code } = need
      const said = lack === 'off' ? '' : `${code === undefined ? 'has no effect' : 'protects nothing'} ${lack.message}`
      if (lack !== 'off') found.push({ code: code ?? 'WH210', path, message: `"${path.at(-1)}" ${said}`, lack: said, help: lack.help })
      break
    }
    return value
  })
  return found
}

/** Returns a Diagnostic for each key of a file that lacks what it needs. */
export const checkNeeds = (root: JsonObject, data: JsonObject, around: Around, source: Pick<Source, 'place'> | undefined): Diagnostic[] =>
  idleKeys(root, data, around).map(({ code, path, message, help }) => {
    const place = source ? { place: source.place(path, 'key') } : {}
    const section = path.length > 1 ? `${writtenPath(path.slice(0, -1))}: ` : ''
    return diagnostic(code, `${section}${message}`, { help, pointer: pointerOf(path), ...place })
  })

const writtenPath = (path: Path): string => path.join('.').replace(/\.(\d+)(?=\.|$)/g, '[$1]')

type Sentence = { readonly message: string; readonly help: string }

/** Whether the needed key has a value with which the needing key acts. `needed`: that value as the file has it, or its default. */
const isMet = ({ is, isList }: KeyNeed, needed: Json | undefined): boolean => {
  if (isList) return Array.isArray(needed) && needed.length > 1
  if (!is) return isSwitchedOn(needed)
  return needed === undefined || [needed].flat().some((each) => is.includes(each))
}

const defaultAt = (root: JsonObject, data: JsonObject, steps: Path): Json | undefined => {
  const around = schemaAt(root, data, steps.slice(0, -1))
  const node = isObject(around.properties) ? own(around.properties, String(steps.at(-1))) : undefined
  return isObject(node) ? node.default : undefined
}

/** Says that a key lacks the key `needed`, whose value is `value`. */
const otherKey = ({ key, is, isList }: KeyNeed, needed: string, value: Json | undefined): Sentence => {
  const last = key.replace('/', '')
  const list = `a list of two or more targets in "${last}"`
  if (isList) return { message: `without ${list}`, help: `remove it, or write ${list}` }
  if (!is) return { message: `without "${last}"`, help: `remove it, or add "${needed}"` }
  return {
    message: `where "${last}" is ${JSON.stringify(value)}`,
    help: `remove it, or use it with ${needed}: ${is.map(String).join(' or ')}`,
  }
}

/**
 * Says that the runners of the agents in use do not read a key; `undefined` where one does, and for the runner of a plugin, whose keys are not
 * known. A stand-in runner is there to try a gateway out, so only the agent's own keys are reported for it: routes and jobs are written for
 * the runner that replaces it.
 */
const otherRunner = (key: RunnerKey, top: JsonObject, agents: readonly string[], isOfAgent: boolean): Sentence | undefined => {
  const isRead = (agent: string): boolean => {
    const runner = runnersByName.get(runnerOf(agent, top))
    if (!runner?.reads || runner.reads.includes(key) || (runner.standIn !== undefined && !isOfAgent)) return true
    const { readsBy } = runner
    return readsBy?.keys.get(String(settingOf(agent, readsBy.key, top)))?.includes(key) === true
  }
  if (agents.some(isRead)) return undefined
  const names = [...new Set(agents.map((agent) => runnerOf(agent, top)))]
  const section = agents.length === 1 && agents[0] !== undefined ? agentPath(agents[0]).join('.') : 'agent'
  const others = runners.filter(({ reads, standIn }) => reads?.includes(key) && standIn === undefined).map((each) => each.name)
  const values = names.flatMap((name) => {
    const { key: by, keys = new Map<string, readonly RunnerKey[]>() } = runnersByName.get(name)?.readsBy ?? {}
    const fit = [...keys].filter(([, each]) => each.includes(key)).map(([value]) => value)
    return fit.length === 0 ? [] : [`, or with ${section}.${by}: ${fit.join(' or ')}`]
  })
  const help = `remove it, or use it with ${section}.runner: ${others.join(' or ')}${values.join('')}`
  return { message: `with the runner ${names.join(' or ')}`, help }
}

const settingOf = (agent: string, key: string, top: JsonObject): Json | undefined => valueAt(top, [...agentPath(agent), key])

const runnerOf = (agent: string, top: JsonObject): string => {
  const written = settingOf(agent, 'runner', top)
  return typeof written === 'string' ? written : defaults.agent.runner
}

/** Returns the names of the agents that a configuration has; the default agent also where only it is there. */
const configuredAgents = ({ agent, agents }: JsonObject): readonly string[] => {
  const named = isObject(agents) ? Object.keys(agents) : []
  return agent === undefined && named.length > 0 ? named : [defaultAgent, ...named]
}
