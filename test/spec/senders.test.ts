/** Every preset over a real socket: what its sender signs is taken once, and everything else is refused. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { parseSample } from '../../src/dryrun/samples/sample-file.ts'
import { editJsonField } from '../../src/parts/body/json-field.ts'
import { presets } from '../../src/parts/schemes/index.ts'
import type { Preset } from '../../src/parts/schemes/preset.ts'
import { repeatKnownBy } from '../../tools/senders.ts'
import { runAt } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'
import { startGateway, type TestGateway } from '../fakes/gateway.ts'
import { type Keys, keysFor } from '../fakes/senders/keys.ts'

type Headers = { readonly [name: string]: string }
type Sent = { readonly headers: Headers; readonly body: string; readonly path: string }
type Asked = { readonly body?: string; readonly key?: Keys }

/** One sender: its sample signed, and how its requests end. */
type Case = {
  readonly preset: Preset
  /** That of its sample. */
  readonly body: string
  readonly at: (now: number) => void
  readonly make: (id: string, asked?: Asked) => Sent
  /** `accepted`, `duplicate`, or the status of a refusal. */
  readonly end: (sent: Sent, changed?: Headers) => Promise<string>
  /** The status for several lines of one header. */
  readonly raw: (sent: Sent, header: string, values: readonly string[]) => Promise<string>
}

const sampleText = (name: string): string => readFileSync(new URL(`../../samples/${name}.json`, import.meta.url), 'utf8')

const present = 1_750_000_000_000
/** Those with a certificate, which is fetched, are in tests of their own. */
const battery = presets.filter(({ keys, description }) => keys !== 'none' && !description.certificate)
const vouches = ({ description: { algorithm, body_digest, signed = '{body}' } }: Preset): boolean =>
  !['token', 'basic'].includes(algorithm) &&
  (body_digest !== undefined || /\{(?:body|json|form|lines|crc32)\}/.test(signed)) &&
  (algorithm !== 'jwt' || body_digest !== undefined)

const isJson = (body: string): boolean => /^[[{]/.test(body)
/** The body with a blank in its JSON, or with one more field where it is a form of plain fields. */
const altered = (body: string, field: string): string => {
  const inJson = (text: string): string => text.replace(/[}\]]$/, ' $&')
  return isJson(body) ? inJson(body) : (editJsonField(body, inJson) ?? `${body}&${field}`)
}
/** Where a sender shows who it is. */
const placeOf = ({ description: { signature, algorithm } }: Preset): NonNullable<Preset['description']['signature']> =>
  signature ?? (algorithm === 'basic' ? { header: 'Authorization' } : {})

/** One more field, so large that the body has a megabyte. */
const megabyte = (body: string): string => {
  const rest = 'a'.repeat(1_000_000)
  const edited = editJsonField(body, (json) => json.replace('{', `{"padding":"${rest}",`))
  if (!isJson(body)) return edited ?? `${body}&padding=${rest}`
  const start = body.indexOf('{') + 1
  return `${body.slice(0, start)}"padding":"${rest}",${body.slice(start)}`
}

const checkKeys = async (t: Test, { preset, make, end }: Case): Promise<void> => {
  t.equal(await end(make('1')), 'accepted', 'what it signs')
  t.equal(await end(make('2', { key: keysFor(preset) })), '401', 'another key')
}

const checkReplay = async (t: Test, { preset, make, end }: Case): Promise<void> => {
  const { body } = make('')
  const once = make('replayed', { body: altered(body, 'Once=1') })
  const again = repeatKnownBy(preset) === 'nothing' ? 'accepted' : 'duplicate'
  t.equal(await end(once), 'accepted', 'once')
  t.equal(await end(once), again, 'the same bytes again')
  t.equal(await end(once, { 'X-Request-ID': 'another', 'X-GitHub-Delivery': 'another' }), again, 'with an id that is none of its')
  const otherType = isJson(once.body) ? 'application/x-www-form-urlencoded' : 'application/json'
  const asOther = await end(once, { 'content-type': otherType })
  t.ok([again, '400', '401'].includes(asOther), `sent as ${otherType}: ${asOther}`)
}

const checkBody = async (t: Test, { preset, make, end }: Case): Promise<void> => {
  const good = make('3')
  const other = altered(good.body, 'x=1')
  if (vouches(preset)) t.equal(await end({ ...good, body: other }), '401', 'another body')
  const large = make('large', { body: megabyte(good.body) })
  t.ok(Buffer.byteLength(large.body) > 1_000_000)
  t.equal(await end(large), 'accepted', 'a body of 1 MB')
}

const checkHeader = async (t: Test, { make, end, raw }: Case, header: string, other: Sent): Promise<void> => {
  const good = make('4')
  const value = good.headers[header] as string
  const wrong = other.headers[header] as string
  const { [header]: _, ...without } = good.headers
  t.equal(await end({ ...good, headers: without }), '401', 'no signature')
  for (const [why, bad] of [
    ['empty', ''],
    ['cut', value.slice(0, -3)],
    ['not ASCII', `${value.slice(0, -1)}\u00e9`],
    ['huge', 'a'.repeat(8_000)],
    ['another', value.replace(/[0-9a-f]/gi, (digit) => (digit === '0' ? '1' : '0'))],
  ] as const)
    t.equal(await end(good, { [header]: bad }), '401', `a signature that is ${why}`)
  t.equal(await raw(good, header, [value, wrong]), '401', 'a right signature and a wrong one')
  t.equal(await raw(good, header, [wrong, value]), '401', 'a wrong signature and a right one')
  t.equal(await raw(good, header, [value, value]), '401', 'the right signature twice')
  t.not(await raw(good, header, [value]), '401', 'once')
}

const checkQuery = async (t: Test, { preset, make, end }: Case, name: string, other: Sent): Promise<void> => {
  const good = make('4')
  const path = `/webhooks/${preset.name}`
  const [value, wrong] = [good, other].map((sent) => new URL(sent.path, 'http://a').searchParams.get(name) as string)
  const twice = (a = '', b = ''): string => `${path}?${new URLSearchParams([a, b].map((each): [string, string] => [name, each]))}`
  for (const [why, bad] of [
    ['nothing in the address', path],
    ['an empty one', `${path}?${name}=`],
    ['another', `${path}?${name}=${'a'.repeat(3_000)}`],
    ['a right one and a wrong one', twice(value, wrong)],
    ['a wrong one and a right one', twice(wrong, value)],
  ] as const)
    t.equal(await end({ ...good, path: bad }), '401', why)
}

const checkField = async (t: Test, { preset, body, make, end }: Case): Promise<void> => {
  const good = make('4')
  t.equal(await end({ ...good, body }), '401', 'no signature')
  t.equal(await end({ ...good, body: '{}' }), '401', 'no fields')
  const field = ([placeOf(preset).body].flat()[0] as string).split('.').at(-1)
  const doubled = isJson(good.body) ? good.body.replace(new RegExp(`("${field}":)("[^"]*")`), '$1$2,$1"0"') : `${good.body}&${field}=0`
  t.not(doubled, good.body)
  t.equal(await end({ ...good, body: doubled }), '401', 'the field twice: the last one counts, or neither')
}

const checkSignature = async (t: Test, each: Case): Promise<void> => {
  const { header, query } = placeOf(each.preset)
  const other = each.make('4', { key: keysFor(each.preset) })
  if (header !== undefined) await checkHeader(t, each, header, other)
  else if (query !== undefined) await checkQuery(t, each, query, other)
  else await checkField(t, each)
}

const checkTime = async (t: Test, { preset, at, make, end }: Case): Promise<void> => {
  const { timestamp } = preset.description
  if (!timestamp) return
  const off = 2 * (timestamp.window_seconds ?? 300) * 1000
  for (const [why, when] of [
    ['a time that is past', present - off],
    ['a time that is to come', present + off],
  ] as const) {
    at(when)
    const sent = make('5')
    at(present)
    t.equal(await end(sent), '401', why)
  }
}

/** Makes the cases of a gateway whose routes have the names and keys of their senders. `time`: when requests come. */
const casesOn =
  (gateway: TestGateway, keys: ReadonlyMap<string, Keys>, time: { now: number }) =>
  (preset: Preset): Case => {
    const { name } = preset
    const { headers: told, body } = parseSample(sampleText(preset.about.sample), preset.about.sample)
    const type = Object.entries(told).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? 'application/json'
    // No sender of these has an X-Request-ID: tests have it where there is no other id.
    const isLeftOut = (name: string): boolean => ['content-type', 'x-request-id'].includes(name.toLowerCase())
    const whole = (signed: Headers): Headers => ({
      ...Object.fromEntries(Object.entries({ ...told, ...signed }).filter(([name, value]) => value !== '***' && !isLeftOut(name))),
      'content-type': type,
    })
    return {
      preset,
      body,
      at: (at) => {
        time.now = at
      },
      make: (id, asked = {}) => {
        const { secret, privateKey } = asked.key ?? (keys.get(name) as Keys)
        const url = `https://hooks.example.com/webhooks/${name}`
        const mine = privateKey === undefined ? {} : { privateKey }
        const signed = preset.sign({ secret, body: asked.body ?? body, id, at: time.now, url, contentType: type, ...mine })
        return { headers: whole(signed.headers), body: signed.body, path: (signed.url ?? url).slice('https://hooks.example.com'.length) }
      },
      end: async ({ headers, body, path }, changed = {}) => {
        const { status } = await gateway.post(name, { sign: false, headers: { ...headers, ...changed }, body, path })
        if (status > 299) return String(status)
        const outcome = String(gateway.lines.findLast(({ route, stage }) => route === name && stage !== undefined)?.outcome)
        const wanted = preset.respond?.status ?? (outcome === 'accepted' ? 202 : 200)
        return status === wanted ? outcome : `${outcome}, answered ${status}`
      },
      raw: async ({ headers, body, path }, header, values) => {
        const rest = Object.entries(headers).filter(([each]) => each.toLowerCase() !== header.toLowerCase())
        const lines = [...rest, ...values.map((value) => [header, value])].map(([each, value]) => `${each}: ${value}`)
        const head = [`POST ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...lines, `Content-Length: ${Buffer.byteLength(body)}`]
        const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)])
        return (await gateway.raw(bytes)).slice(9, 12)
      },
    }
  }

t.test('senders', async (t) => {
  const keys = new Map(battery.map((preset) => [preset.name, keysFor(preset)]))
  const time = { now: present }
  const gateway = await startGateway(t, {
    now: () => time.now,
    extra: { public_url: 'https://hooks.example.com' },
    routes: Object.fromEntries(battery.map(({ name }) => [name, { verify: name, ...keys.get(name)?.route, deliver: 'log' }])),
  })
  const caseOf = casesOn(gateway, keys, time)
  for (const preset of battery) {
    t.test(preset.name, async (t) => {
      const each = caseOf(preset)
      for (const check of [checkKeys, checkReplay, checkBody, checkSignature, checkTime]) await check(t, each)
    })
  }
})

t.test('what describes each sender serves as a scheme of the configuration, too', async (t) => {
  const keys = new Map(battery.map((preset) => [preset.name, keysFor(preset)]))
  const time = { now: present }
  const own = (name: string): string => `own-${name.replaceAll('_', '-')}`
  const gateway = await startGateway(t, {
    now: () => time.now,
    config: { signature_schemes: Object.fromEntries(battery.map(({ name, description }) => [own(name), description])) },
    extra: { public_url: 'https://hooks.example.com' },
    routes: Object.fromEntries(
      battery.map(({ name, respond }) => [
        name,
        { verify: own(name), ...keys.get(name)?.route, ...(respond ? { respond } : {}), deliver: 'log' },
      ]),
    ),
  })
  const caseOf = casesOn(gateway, keys, time)
  for (const preset of battery) {
    t.test(preset.name, async (t) => {
      const each = caseOf(preset)
      for (const check of [checkReplay, checkTime]) await check(t, each)
    })
  }
})

t.test('what `new --like` writes for each sender is valid, and takes what the sender signs', async (t) => {
  // Two presets have one sample. A route like it is for the sender that gave it its name.
  const senders = battery.filter(({ name, about }) => about.sample.startsWith(`${name}/`))
  const keys = new Map(senders.map((preset) => [preset.name, keysFor(preset)]))
  const variables = senders.map(({ name }) => {
    const { route: { secret, public_key } = {} } = keys.get(name) ?? {}
    const end = secret === undefined ? 'PUBLIC_KEY' : 'SIGNING_SECRET'
    return `${name.toUpperCase()}_${end}='${secret ?? public_key}'\n`
  })
  const config = {
    platforms: { webhook: { enabled: true, extra: { port: 0, public_url: 'https://hooks.example.com' } } },
    storage: { kind: 'memory' },
  }
  const dir = newFolder(t, { 'config.yaml': stringify(config), '.env': variables.join(''), bare: { 'config.yaml': stringify(config) } })
  for (const { name, about } of senders.filter(({ keys }) => keys === 'public')) {
    const { code, err } = await runAt(join(dir, 'bare'), ['new', name, '--like', about.sample])
    t.match({ code, err }, { code: 1, err: `WH305 cannot resolve \${${name.toUpperCase()}_PUBLIC_KEY}` }, name)
    t.notMatch(err, /WH201|it has no secret/, name)
  }
  const standard = await runAt(join(dir, 'bare'), ['new', 'standard', '--like', 'standard/invoice.paid'])
  t.match(standard, { code: 1, err: /STANDARD_WEBHOOKS_SIGNING_SECRET.* WH305 / })
  for (const { name, about } of senders) {
    const { code, err } = await runAt(dir, ['new', name, '--like', about.sample])
    t.equal(code, 0, `${name}: ${err}`)
  }
  const { code, out } = await runAt(dir, ['validate'])
  t.equal(code, 0, out)
  const time = { now: present }
  const caseOf = casesOn(await startGateway(t, { dir, now: () => time.now }), keys, time)
  for (const preset of senders) {
    const { make, end } = caseOf(preset)
    // Of a request with several events, the last one may be of a type that the route leaves out.
    t.match(await end(make('1')), preset.about.batch ? /^(?:accepted|ignored, answered 202)$/ : 'accepted', preset.name)
    t.equal(await end(make('2', { key: keysFor(preset) })), '401', `${preset.name}: another key`)
  }
})
