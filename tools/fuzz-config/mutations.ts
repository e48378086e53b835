/**
 * Changes valid configurations as people do by mistake, and validates them in this process. Each change must be found where it was made, or
 * change nothing: the program reads the same configuration, and its routes do the same with samples. Otherwise what was written must stand
 * where it acts, and be a value of its kind.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isNode, LineCounter, parse, parseDocument, stringify } from 'yaml'
import { createRandom, type Random } from '../../bench/durability/random.ts'
import { validate } from '../../src/check/validate/validate.ts'
import { unknownEnv } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'
import { configSchema, memberSchema, schemaAt, schemaOfValue, typeOf } from '../../src/config/schema-walk.ts'
import type { Diagnostic, Path } from '../../src/core/diagnostic.ts'
import { messageOf } from '../../src/core/fault.ts'
import { equalJson, isObject, type Json, type JsonObject, own, valueAt } from '../../src/core/json.ts'
import { describeTrace } from '../../src/dryrun/trace/describe-trace.ts'
import { traceRoute } from '../../src/dryrun/trace/trace-route.ts'
import type { Ran, Slip } from './run.ts'

const examples = [
  'pr-review',
  'chat-bot',
  'direct-http',
  'jobs',
  'mcp-toolset',
  'anthropic',
  'script-filter',
  'targets',
  'observability/config',
]

/** A configuration with keys of the sections that no example has. */
const wide = `
platforms:
  webhook:
    enabled: true
    extra:
      port: 8650
      secret: c2a91f70e35bd846
      rate_limit: 60
      max_body_bytes: 2000000
      redact: [headers.X-User]
      routes:
        shop:
          verify: github
          events: [push]
          filters: [{ field: ref, regex: "^refs/heads/" }]
          prompt: "Order {number}"
          respond: { wait_seconds: 5, max_waiting: 3, status_hours: 2 }
          retry: { max_attempts: 2, backoff: 3 }
          concurrency: { limit: 2, key: number }
          session: { key: number, history: 5 }
          agent: { model: small, max_steps: 2, budget: { run_tokens: 50000 } }
          redact: [customer.email]
          rate_limit: { per_minute: 5, when_over: queue }
          duplicates: { hours: 4 }
        night: { cron_job: report, cron_job_running: queue, prompt: p }
        merged: { coalesce: { key: number, window_seconds: 10, max_wait_seconds: 60 }, prompt: p, deliver: [log, { target: http, deliver_extra: { url: "http://127.0.0.1:9000/" } }], deliver_mode: first_success }
gateway: { drain_seconds: 10, max_concurrent_runs: 2, max_queued_runs: 50 }
agent: { runner: openai, model: m, api_key: "\${KEY}", system: s, max_steps: 4, untrusted: mark, budget: { day_cost: 3 }, prices: { m: { input: 1, output: 2 }, small: { input: 1, output: 2 } } }
console: { enabled: true, port: 8700, public_origin: "https://hooks.example.com", proxies: [10.0.0.7], auth: { password: { ada: "\${HASH}" }, roles: { viewer: ["*"], payloads: ["user:ada"] } } }
metrics: { enabled: true, port: 9500, token: "\${METRICS}" }
telemetry: { otlp: { endpoint: "http://127.0.0.1:4318", headers: { authorization: "\${OTLP}" } }, traces: { ratio: 0.5 }, content: true }
targets: { breaker: { failures: 5, max_wait_seconds: 60 } }
storage: { kind: postgres, url: "\${DATABASE_URL}", schema: hooks, durability: commit, retention: { hours: 5, max_events: 5000 } }
alerts: [{ deliver: log, on: [silence, backlog_age], backlog_seconds: 60, silence: [{ route: shop, after_hours: 3, during: "9-17", timezone: Europe/Berlin }] }]
jobs: { report: { schedule: "0 9 * * *", timezone: Europe/Berlin, prompt: p, grace_seconds: 60 } }
toolsets: { notes: { command: [notes], allow: [find], folder: /srv } }
platform_toolsets: { webhook: [notes] }
`

type Base = { readonly name: string; readonly data: JsonObject }

const bases = (): readonly Base[] => [
  ...examples.map((name) => ({
    name: basename(name),
    data: parse(readFileSync(fileURLToPath(new URL(`../../examples/${name}.yaml`, import.meta.url)), 'utf8')) as JsonObject,
  })),
  { name: 'wide', data: parse(wide) as JsonObject },
]

/** Returns the paths of all values below a value, the value itself included. */
const pathsIn = (value: Json, path: Path = []): Path[] => [
  path,
  ...(Array.isArray(value)
    ? value.flatMap((item, i) => pathsIn(item, [...path, i]))
    : isObject(value)
      ? Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...path, key]))
      : []),
]

/** A change of a configuration. `path`: where something was written. `from`: where something was taken away. */
type Mutation = { readonly data: JsonObject; readonly said: string; readonly path?: Path; readonly from?: Path }

/** Makes a change; `undefined` where it does not fit what was chosen. `at` is the path of a member of a map, which has this `value`. */
type Mutate = (to: { readonly data: JsonObject; readonly at: Path; readonly value: Json; readonly random: Random }) => Mutation | undefined

const around = (data: JsonObject, at: Path): JsonObject => valueAt(data, at.slice(0, -1)) as JsonObject

const replaced = (data: JsonObject, at: Path, value: Json): JsonObject => {
  const copy = structuredClone(data)
  Object.defineProperty(around(copy, at), String(at.at(-1)), { value, enumerable: true, configurable: true, writable: true })
  return copy
}

const removed = (data: JsonObject, at: Path): JsonObject => {
  const copy = structuredClone(data)
  delete around(copy, at)[String(at.at(-1))]
  return copy
}

const renamed = (data: JsonObject, at: Path, name: string): Mutation | undefined => {
  const to = [...at.slice(0, -1), name]
  if (name === at.at(-1) || own(around(data, at), name) !== undefined) return undefined
  return { data: replaced(removed(data, at), to, valueAt(data, at) as Json), said: `${at.join('.')} is called ${name}`, path: to, from: at }
}

const rewritten = (data: JsonObject, at: Path, value: Json): Mutation => ({
  data: replaced(data, at, value),
  said: `${at.join('.')}: ${JSON.stringify(value)}`,
  path: at,
})

/** Whether a map has the keys that its schema names, and not names that people choose. */
const isKnownKey = (data: JsonObject, at: Path): boolean => {
  const { properties } = schemaOfValue(schemaAt(configSchema, data, at.slice(0, -1)), around(data, at))
  return isObject(properties) && Object.hasOwn(properties, String(at.at(-1)))
}

const mapsOf = (data: JsonObject): Path[] => pathsIn(data).filter((path) => isObject(valueAt(data, path)))

const mutations: { readonly [name: string]: Mutate } = {
  misspelt: ({ data, at, random }) => {
    const key = String(at.at(-1))
    const cut = random.whole(key.length)
    return isKnownKey(data, at) && key.length > 2 ? renamed(data, at, key.slice(0, cut) + key.slice(cut + 1)) : undefined
  },
  'key in another letter case': ({ data, at }) => {
    const key = String(at.at(-1))
    return isKnownKey(data, at) ? renamed(data, at, key[0]?.toUpperCase() + key.slice(1)) : undefined
  },
  'key with hyphens': ({ data, at }) => (isKnownKey(data, at) ? renamed(data, at, String(at.at(-1)).replaceAll('_', '-')) : undefined),
  moved: ({ data, at, value, random }) => {
    const to = [...random.pick(mapsOf(data).filter((map) => map.join('.') !== at.slice(0, -1).join('.'))), String(at.at(-1))]
    const without = removed(data, at)
    const map = valueAt(without, to.slice(0, -1))
    if (!isObject(map) || own(map, String(to.at(-1))) !== undefined) return undefined
    return { data: replaced(without, to, value), said: `${at.join('.')} moved to ${to.join('.')}`, path: to, from: at }
  },
  copied: ({ data, at, value, random }) => {
    const to = [...random.pick(mapsOf(data)), String(at.at(-1))]
    if (valueAt(data, to) !== undefined || at.every((key, i) => to[i] === key)) return undefined
    return { data: replaced(data, to, value), said: `${at.join('.')} stands at ${to.join('.')}, too`, path: to }
  },
  'removed, though it must be there': ({ data, at }) => {
    const { required } = nodeAround(data, at)
    const isAsked = Array.isArray(required) && required.includes(String(at.at(-1)))
    return isAsked ? { data: removed(data, at), said: `${at.join('.')} removed`, from: at } : undefined
  },
  'another kind': ({ data, at, value, random }) =>
    rewritten(
      data,
      at,
      random.pick<Json>(typeof value === 'string' ? [7, true, {}] : typeof value === 'number' ? ['many', false, {}] : ['x', 7]),
    ),
  'list in place of a value': ({ data, at, value }) => (Array.isArray(value) ? undefined : rewritten(data, at, [value])),
  'value in place of a list': ({ data, at, value }) =>
    Array.isArray(value) && value.length > 0 ? rewritten(data, at, value[0] as Json) : undefined,
  quoted: ({ data, at, value }) =>
    typeof value === 'number' || typeof value === 'boolean' ? rewritten(data, at, String(value)) : undefined,
  'word in another letter case': ({ data, at, value }) =>
    typeof value === 'string' && value.toUpperCase() !== value ? rewritten(data, at, value.toUpperCase()) : undefined,
  'a number out of its range': ({ data, at, random }) => {
    const { minimum, maximum } = schemaAt(configSchema, data, at)
    const odd = [typeof minimum === 'number' ? minimum - 1 : undefined, typeof maximum === 'number' ? maximum + 1 : undefined]
    const wrong = random.pick(odd)
    return wrong === undefined ? undefined : rewritten(data, at, wrong)
  },
  'another unit': ({ data, at, value, random }) =>
    typeof value === 'number' && /_(?:seconds|minutes|hours|days|bytes)$/.test(String(at.at(-1)))
      ? rewritten(data, at, random.pick<Json>([`${value}s`, `${value}m`, `${value} MB`, value * 1_000_000_000_000]))
      : undefined,
  'a word that is near to one of a list': ({ data, at, value }) =>
    Array.isArray(schemaAt(configSchema, data, at).enum) && typeof value === 'string' && value.length > 3
      ? rewritten(data, at, value.slice(0, 1) + value.slice(2))
      : undefined,
}

/** Returns the schema of the map that a member is of. */
const nodeAround = (data: JsonObject, at: Path): JsonObject =>
  schemaOfValue(schemaAt(configSchema, data, at.slice(0, -1)), around(data, at))

/** Returns what the program makes of a configuration: all that it has read, without places and texts. */
const effectOf = (dir: string): string => {
  const { config } = loadConfig({ dataDir: dir, env: unknownEnv })
  const dropped: ReadonlySet<string> = new Set(['dataDir', 'digests', 'sections', 'digest', 'base', 'isEmpty'])
  return JSON.stringify(config, (key, value: unknown) => (dropped.has(key) ? undefined : value instanceof Map ? [...value] : value))
}

const findingsIn = async (dir: string): Promise<ReadonlyMap<string, Diagnostic>> => {
  const workspace = { dataDir: dir, env: {}, self: 'headgate' }
  const { diagnostics } = await validate(workspace, {
    paths: [join(dir, 'config.yaml')],
    asked: false,
    withoutEnv: true,
    withoutRefs: true,
  })
  return new Map(diagnostics.map((each) => [`${each.code} ${each.pointer} ${each.message}`, each]))
}

/** Whether a finding stands on the lines of the map that was changed, or names what was changed. */
const isAtChange = ({ place, related = [], message, help = '', suggest = [] }: Diagnostic, { data, path, from }: Mutation): boolean => {
  const lineCounter = new LineCounter()
  const document = parseDocument(stringify(data), { lineCounter })
  const linesOf = (at: Path): readonly [number, number] | undefined => {
    const node = document.getIn(at, true)
    const range = isNode(node) ? node.range : undefined
    // The key of a map stands on the line before its first member.
    return range ? [lineCounter.linePos(range[0]).line - 1, lineCounter.linePos(Math.max(range[0], range[1] - 1)).line] : undefined
  }
  const spans = [path?.slice(0, -1), from?.slice(0, -1)].flatMap((at) => {
    const span = at && at.length > 0 ? linesOf(at) : undefined
    return span ? [span] : []
  })
  const starts = [place, ...related.map((each) => each.place)].flatMap((each) => each?.line ?? [])
  if (starts.some((line) => spans.some(([first, last]) => line >= first && line <= last))) return true
  const words = [path?.at(-1), from?.at(-1), path && valueAt(data, path)].filter((word) => typeof word === 'string' && word.length > 1)
  return words.some((word) => `${message} ${help} ${suggest.join(' ')}`.includes(String(word)))
}

const traceSamples = ['github/push', 'github/pull_request.opened', 'alertmanager/firing'] as const

/** Returns what the routes of a folder do with samples, as `webhook trace` tells it; without the times and ids that are new each time. */
const behaviourOf = async (dir: string): Promise<string> => {
  const workspace = { dataDir: dir, env: {}, self: 'headgate' }
  const told: string[] = []
  for (const { name: route } of loadConfig({ dataDir: dir, env: unknownEnv }).config.routes.values())
    for (const sample of traceSamples) {
      try {
        const traced = await traceRoute(workspace, route, { of: { sample }, set: [], unset: [], runScripts: false })
        told.push(
          JSON.stringify(describeTrace(traced)).replace(
            /"ms":[\d.]+|[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{10,13}\b/g,
            '',
          ),
        )
      } catch (error) {
        told.push(messageOf(error))
      }
    }
  return told.join('\n')
}

/** Whether the schema knows what stands at a path. */
const isDeclared = (data: JsonObject, path: Path): boolean => {
  const map = valueAt(data, path.slice(0, -1))
  const node = schemaOfValue(schemaAt(configSchema, data, path.slice(0, -1)), map as Json)
  return memberSchema(node, path.at(-1) as string) !== undefined
}

/** What a configuration is to the program: what it reads of it, and what its routes do with samples. */
type Effects = { readonly read: string; readonly told: string }

/** Judges a change that nothing was found of. `without`: what is read where the written value is left out. Returns why it is no harmless one. */
const silently = ({ path, from, data }: Mutation, before: JsonObject, was: Effects, is: Effects, without: string): string | undefined => {
  if (was.read === is.read && was.told !== is.told) return 'changes what is done with samples, and not what is read'
  if (path === undefined) return 'is missed without a word'
  const value = valueAt(data, path) as Json
  const earlier = valueAt(before, path)
  if (earlier === undefined && !isDeclared(data, path)) return 'is taken without a word, and the schema does not know it'
  const node = schemaAt(configSchema, data, path)
  if (was.read === is.read) {
    const isUsual = node.default !== undefined && equalJson(node.default, value)
    // Where the program reads the same as before, the change is only another way to write it.
    return earlier !== undefined || from !== undefined || isUsual || value === false
      ? undefined
      : 'is taken without a word, and changes nothing'
  }
  // What acts in its new place is no mistake that a program can see, and no other text is one where any text may stand.
  if (earlier === undefined) return is.read === without && value !== false ? 'does nothing in its new place, without a word' : undefined
  if (typeof value === 'string' && node.enum === undefined) return undefined
  const kinds = [node.type ?? []].flat().map((kind) => (kind === 'integer' ? 'number' : kind))
  const isOfKind = kinds.length === 0 ? node.enum === undefined : kinds.includes(typeOf(value))
  return isOfKind ? undefined : 'is read as something else without a word'
}

/** `blind`: what a worse `validate` would make of a finding; `undefined` where it had none. A test shows by it that slips are seen. */
type Trial = { readonly seed: number; readonly cases: number; readonly blind?: (found: Diagnostic) => Diagnostic | undefined }

/** Tries `cases` changes, chosen by the seed. */
export const runMutations = async ({ seed, cases, blind = (found) => found }: Trial): Promise<Ran & { readonly found: number }> => {
  const random = createRandom(seed)
  const dir = mkdtempSync(join(tmpdir(), 'headgate-mutate-'))
  const write = (data: JsonObject): void => writeFileSync(join(dir, 'config.yaml'), stringify(data))
  try {
    const known = []
    for (const base of bases()) {
      write(base.data)
      known.push({
        ...base,
        effects: { read: effectOf(dir), told: await behaviourOf(dir) },
        findings: await findingsIn(dir),
        members: pathsIn(base.data).filter((path) => typeof path.at(-1) === 'string'),
      })
    }
    const slips: Slip[] = []
    let found = 0
    for (let tried = 0; tried < cases; ) {
      const base = random.pick(known)
      const at = random.pick(base.members)
      const name = random.pick(Object.keys(mutations))
      const mutation = mutations[name]?.({ data: base.data, at, value: valueAt(base.data, at) as Json, random })
      if (!mutation) continue
      tried++
      write(mutation.data)
      const news = [...(await findingsIn(dir))].flatMap(([each, found]) => (base.findings.has(each) ? [] : (blind(found) ?? [])))
      if (news.length > 0) found++
      const effects = async (): Promise<Effects> => ({ read: effectOf(dir), told: await behaviourOf(dir) })
      const readWithout = ({ data, path }: Mutation): string => {
        if (path !== undefined) write(removed(data, path))
        return effectOf(dir)
      }
      const wrong =
        news.length === 0
          ? silently(mutation, base.data, base.effects, await effects(), readWithout(mutation))
          : news.some((each) => isAtChange(each, mutation))
            ? undefined
            : `is found elsewhere: ${news[0]?.code} ${news[0]?.pointer} ${news[0]?.message}`
      if (wrong) slips.push({ file: base.name, path: mutation.said, value: name, wrong })
    }
    return { cases, slips, found }
  } finally {
    rmSync(dir, { recursive: true })
  }
}
