/**
 * Suites of other projects, against a real gateway. Some are packages. `HEADGATE_SUITES` names a folder with data files of others; without
 * it their tests are skipped.
 */

import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { exactOf } from '../../src/core/exact-json.ts'
import type { ExactJson } from '../../src/core/json.ts'
import { BadPattern, compileRegex } from '../../src/expr/regex/regex.ts'
import { renderJson } from '../../src/expr/render.ts'
import { parseSchema } from '../../src/expr/schema/payload-schema.ts'
import { newFolder } from '../fakes/folder.ts'
import { hexHmac, secret, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { spawnGateway } from '../fakes/process-gateway.ts'
import { startBuiltRelay } from '../fakes/relay.ts'
import { naughtyStrings, xmlDocuments } from '../foreign/suites.ts'

const folder = process.env.HEADGATE_SUITES
/** A test of data files, skipped where they are not. */
const suite = (name: string, run: (t: Test, path: string) => Promise<void>): unknown =>
  t.test(name, { skip: folder === undefined && 'HEADGATE_SUITES names no folder' }, (t) => run(t, join(folder ?? '', name)))

const max = Number.POSITIVE_INFINITY
const jsonIn = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
/** The files of a folder and of those below it, by their paths in it. */
const filesIn = (path: string, ending: string): readonly string[] =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .sort()

/** Posts a body, which is taken, and returns the text that is delivered. */
const deliveredText = async (gateway: TestGateway, route: string, body: string | Buffer, type: string): Promise<string> => {
  const id = randomUUID()
  const { status, text } = await gateway.post(route, { body, headers: { 'Content-Type': type, 'X-Request-ID': id } })
  if (status !== 202) throw new Error(`${status} ${text}`)
  return String((await gateway.line(({ msg, delivery_id: of }) => msg === 'delivered' && of === id)).text)
}

t.test('XML is taken where it is well-formed UTF-8 without document type, and without instructions inside', async (t) => {
  const gateway = await startGateway(t, { routes: { a: { prompt: '{__raw__}' } } })
  let taken = 0
  for (const [path, body] of await xmlDocuments()) {
    const isTaken = !path.includes('/not-wf/') && !/<!DOCTYPE|^\xff\xfe|<\w[\s\S]*<\?[\s\S]*<\//.test(body.toString('latin1'))
    if (isTaken) taken++
    const { status } = await gateway.post('a', { body, headers: { 'Content-Type': 'application/xml' } })
    t.equal(status, isTaken ? 202 : 400, path)
  }
  t.ok(taken > 100, `${taken} are taken`)
})

t.test('naughty strings reach the prompt as they came', async (t) => {
  const gateway = await startGateway(t, { routes: { a: { prompt: '<{s}>' } } })
  for (const s of naughtyStrings) {
    t.equal(await deliveredText(gateway, 'a', JSON.stringify({ s }), 'application/json'), `<${s}>`)
  }
})

suite('json-parsing', async (t, path) => {
  const gateway = await startGateway(t, { routes: { a: { prompt: '{__raw__}' } } })
  const status = async (body: Buffer | string) =>
    (await gateway.post('a', { body, headers: { 'Content-Type': 'application/json' } })).status
  const files = filesIn(path, '.json')
  for (const file of files) {
    const got = await status(readFileSync(join(path, file)))
    // The standard leaves it to the reader what becomes of the others.
    t.ok((!file.startsWith('y_') && got === 400) || (!file.startsWith('n_') && got === 202), `${file}: ${got}`)
  }
  for (const bracket of ['[', '{"":']) t.equal(await status(bracket.repeat(100_000)), 400)
})

type SchemaTest = { readonly description: string; readonly data: ExactJson; readonly valid: boolean }
type SchemaGroup = { readonly description: string; readonly schema: ExactJson; readonly tests: readonly SchemaTest[] }

/** What the documentation says that a payload schema does not know (docs/payload-schemas.md). */
const limits = /^(?:"\$ref" may only lead into the same file|only the whole file may have an "\$id")/
/** What checks nothing, so that each payload fits. */
const unchecked = /^optional\/(?:format\/|content\.)/
/** Patterns are those of RE2, and keywords beside a reference count, as in later drafts. */
const otherwise = /^optional\/ecmascript-regex\.json|: ref overrides any sibling keywords/

suite('json-schema-draft7', async (t, path) => {
  const groups = filesIn(path, '.json')
    .filter((file) => !file.startsWith('remotes/'))
    .flatMap((file) => {
      const text = readFileSync(join(path, file), 'utf8')
      const read = exactOf({ payload: JSON.parse(text), text }) as unknown as readonly SchemaGroup[]
      return read.map(({ description, schema, tests }) => ({ name: `${file}: ${description}`, schema: renderJson(schema, max, 0), tests }))
    })
    .filter(({ name }) => !otherwise.test(name))
  const problems = groups.map(({ schema }) => parseSchema(schema)).flatMap((read) => ('message' in read ? [read.message] : []))
  t.same(
    problems.filter((message) => !limits.test(message)),
    [],
    `${problems.length} schemas are past a limit that the docs name`,
  )
  const taken = groups.filter(({ schema }) => !('message' in parseSchema(schema)))
  const gateway = await startGateway(t, {
    files: { schemas: Object.fromEntries(taken.map(({ schema }, i) => [`${i}.json`, schema])) },
    routes: Object.fromEntries(
      taken.map((_, i) => [`r${i}`, { payload_schema: `schemas/${i}.json`, payload_mismatch: 'refuse', prompt: 'x' }]),
    ),
  })
  for (const [i, { name, tests }] of taken.entries())
    for (const { description, data, valid } of tests) {
      // A body that begins with ten digits is refused, because it could be the signed text of another sender. So each begins with a blank.
      const { status } = await gateway.post(`r${i}`, { body: ` ${renderJson(data, max, 0)}` })
      t.equal(status, valid || unchecked.test(name) ? 202 : 422, `${name}: ${description}`)
    }
})

type FormCase = { readonly input: string; readonly output: readonly (readonly [name: string, value: string])[] }

suite('urlencoded.json', async (t, path) => {
  const gateway = await startGateway(t, { routes: { a: { prompt: '{__raw__}' } } })
  for (const { input, output } of jsonIn(path) as FormCase[]) {
    const values = new Map<string, string[]>()
    for (const [name, value] of output) values.set(name, [...(values.get(name) ?? []), value])
    const wanted = Object.fromEntries([...values].map(([name, all]) => [name, all.length > 1 ? all : all[0]]))
    t.same(JSON.parse(await deliveredText(gateway, 'a', input, 'application/x-www-form-urlencoded')), wanted, input)
  }
})

/** Blocks of texts and of patterns. Behind each pattern stands a line for each text, whose second column says where it is found, or `-`. */
suite('re2-search.txt', async (t, path) => {
  const textOf = (quoted = ''): string => JSON.parse(quoted.replaceAll('\x01', '\\u0001'))
  const [, ...blocks] = readFileSync(path, 'utf8').split('strings\n')
  let checks = 0
  for (const block of blocks) {
    const [texts = [], rows = []] = block.split('regexps\n').map((part) => part.trimEnd().split('\n'))
    for (let at = 0; at < rows.length; at += texts.length + 1) {
      const pattern = textOf(rows[at])
      if (pattern.includes('\\C')) {
        t.throws(() => compileRegex(pattern), BadPattern, pattern)
        continue
      }
      const found = texts.map((text) => compileRegex(pattern).test(textOf(text)))
      const wanted = texts.map((_, i) => rows[at + 1 + i]?.split(';')[1] !== '-')
      t.same(found, wanted, pattern)
      checks += texts.length
    }
  }
  t.ok(checks > 1_500, `${checks} searches`)
})

/** How each sender of real payloads signs them: the name of its header, and what stands in it before the digits. */
const signedBy: { readonly [sender: string]: readonly [header: string, prefix: string, verify: unknown] } = {
  gitea: ['X-Gitea-Signature', '', 'gitea'],
  gogs: ['X-Gogs-Signature', '', { algorithm: 'hmac_sha256', signature: { header: 'X-Gogs-Signature' } }],
  'bitbucket-server': ['X-Hub-Signature', 'sha256=', 'bitbucket'],
}

suite('payloads', async (t, path) => {
  const gateway = await startGateway(t, {
    routes: Object.fromEntries(Object.entries(signedBy).map(([sender, [, , verify]]) => [sender, { verify, prompt: '{__raw__}' }])),
  })
  for (const [sender, [header, prefix]] of Object.entries(signedBy))
    for (const file of filesIn(join(path, sender), '.json')) {
      const body = readFileSync(join(path, sender, file))
      const headers = { [header]: `${prefix}${hexHmac(body)}` }
      t.equal((await gateway.post(sender, { body, headers, sign: false })).status, 202, file)
      t.equal((await gateway.post(sender, { body: Buffer.concat([body, Buffer.from(' ')]), headers, sign: false })).status, 401, file)
    }
})

type Desync = {
  readonly name: string
  readonly method: string
  readonly uri: string
  readonly version: string
  readonly headers?: readonly { readonly name: string; readonly value: unknown }[]
  readonly expected: { readonly tier: string }
}

/** Sends bytes, and resolves to what came once the other side has closed the connection. */
const untilClosed = (host: string, port: number, bytes: Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    let seen = ''
    const socket = connect(port, host, () => socket.write(bytes))
    socket.setTimeout(3_000, () => resolve(`open: ${seen}`))
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1')
    })
    socket.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? undefined : reject(error),
    )
    socket.once('close', () => resolve(seen))
  })

suite('http-desync', async (t, path) => {
  const cases = filesIn(path, '.yaml')
    .flatMap((file) => parse(readFileSync(join(path, file), 'utf8')) as Desync[])
    .filter(({ expected: { tier } }) => tier === 'Severe' || tier === 'Ambiguous')
  const config = {
    platforms: { webhook: { enabled: true, extra: { secret, port: 0, rate_limit: 100_000, routes: { a: { prompt: 'x' } } } } },
  }
  const startBuilt = async (env: { readonly [name: string]: string }) =>
    new URL(await spawnGateway(t, newFolder(t, { 'config.yaml': stringify(config) }), { env }).listening)
  const { host, port } = await startBuiltRelay(t, { '*': {} })
  const doors = {
    gateway: await startBuilt({}),
    'plain forms': await startBuilt({ HEADGATE_PLAIN: 'all' }),
    relay: { hostname: host, port },
  }
  const smuggled = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'
  for (const [door, { hostname, port: at }] of Object.entries(doors))
    for (const { name, method, uri, version, headers = [] } of cases) {
      const hasHost = headers.some((header) => header.name.toLowerCase() === 'host')
      const lines = [...(hasHost ? [] : ['Host: x']), ...headers.map((header) => `${header.name}: ${header.value}`)]
      const head = `${method} ${uri} ${version}\r\n${lines.join('\r\n')}\r\n\r\n`
      const seen = await untilClosed(hostname, Number(at), Buffer.from(head + smuggled))
      t.match(seen, /^HTTP\/1\.1 4(?![\s\S]*HTTP\/1\.1 )/, `${door}: ${name}`)
    }
})
