import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { hexHmac, startGateway } from '../fakes/gateway.ts'

t.test('Payloads', async (t) => {
  const megabyte = 1_000_000
  const field = (operator: string, operand: unknown): object => ({ field: 'v', [operator]: operand })
  const operators = [
    field('exists', false),
    field('missing', true),
    field('equals', { a: [[[[1]]]] }),
    field('not_equals', [1]),
    field('contains', 'zz'),
    field('in', ['zz', { a: 1 }]),
    field('in_file', 'list.txt'),
    field('regex', '^(a+)+$|(a|aa)+b|\\s+$'),
    { jsonata: 'payload.v = "zz" or $count($keys(payload)) > 1e9' },
  ]
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
  const bodies: { readonly [what: string]: string } = {
    'nested arrays': nested(megabyte / 2 - 3),
    'nested objects': `${'{"v":'.repeat(150_000)}1${'}'.repeat(150_000)}`,
    'nested in a field': `{"v":${nested(megabyte / 2 - 6)}}`,
    'one string': JSON.stringify({ v: 'a'.repeat(megabyte - 8) }),
    'a string of quotes': JSON.stringify({ v: '"'.repeat(megabyte / 2 - 8) }),
    'not ASCII': JSON.stringify({ v: '\u{1f600}'.repeat(megabyte / 4 - 8) }),
    '60,000 keys': JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, i]))),
    'one key': JSON.stringify({ ['k'.repeat(megabyte - 8)]: 1 }),
    'numbers as long as they get': `{"v":${'9'.repeat(megabyte - 8)}}`,
    'numbers of 20,000 digits': `{"v":[${Array.from({ length: 45 }, () => '9'.repeat(20_000)).join()}]}`,
    'long integers': `{"v":[${Array.from({ length: 47_000 }, () => '12345678901234567890').join()}]}`,
    'small numbers': `{"v":[${Array.from({ length: 490_000 }, () => '1').join()}]}`,
    infinite: '{"v":1e400,"w":-1e400}',
    'strange keys': '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"v":{"__proto__":{"polluted":1}}}',
  }
  const routes = {
    nop: {},
    raw: { prompt: '{__raw__} {v} {v.0} {v.v.v}' },
    expressions: { prompt: `{= $string(v) } {= v } ${'{= event } {= k7 } '.repeat(5)}` },
    // Each is asked, whatever the one before says.
    operators: { filters: operators.map((condition) => ({ any: [condition, { not: condition }] })) },
  }
  const gateway = await startGateway(t, { routes, files: { 'list.txt': 'zz' }, level: 'warn' })

  /** The longest time that the loop stood still while the request was worked on; what the test itself does is done before. */
  const stallMs = async (route: string, body: Buffer, headers: { readonly [name: string]: string }): Promise<number> => {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    // It counts from its second tick on.
    await wait(25)
    const before = process.cpuUsage()
    const answer = await gateway.post(route, { sign: false, body, headers })
    await wait(25)
    delay.disable()
    if (answer.status >= 500) throw new Error(`${route} answered ${answer.status}`)
    const { user, system } = process.cpuUsage(before)
    // A loop that waits for a busy machine stands still too, but then the process has not worked.
    return Math.min(delay.max / 1e6, (user + system) / 1e3)
  }

  for (const [what, text] of Object.entries(bodies)) {
    t.test(`${what}: no 5xx and no stall, without a prompt and with every operator`, async (t) => {
      const body = Buffer.from(text)
      const headers = { 'X-Webhook-Signature': hexHmac(body) }
      const from = performance.now()
      JSON.parse(text)
      // Half a million nested arrays take the engine's own parser nearly that long; on a slow machine longer.
      const limitMs = Math.max(100, 3 * (performance.now() - from))
      for (const route of Object.keys(routes)) {
        let best = Number.POSITIVE_INFINITY
        for (let tries = 0; tries < 10 && best >= limitMs; tries++) best = Math.min(best, await stallMs(route, body, headers))
        t.ok(best < limitMs, `${route}: ${Math.round(best)} ms`)
      }
    })
  }

  t.test('nothing was polluted', async (t) => {
    t.equal(({} as { polluted?: unknown }).polluted, undefined)
  })
})
