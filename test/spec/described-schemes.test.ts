/** Keys of schemes that a configuration describes: each decides whether a request is taken, and as which event. */

import { createHash, createHmac, sign as signBytes } from 'node:crypto'
import t from 'tap'
import { stringify } from 'yaml'
import { certificateOf } from '../fakes/certificate.ts'
import { fakeCli } from '../fakes/cli.ts'
import { type Answer, startGateway } from '../fakes/gateway.ts'

type Fields = { readonly [name: string]: unknown }

/** A request, and what its answer has. */
type Sent = {
  readonly why: string
  readonly wanted: Partial<Pick<Answer, 'status' | 'text' | 'json'>>
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  /** With its question mark. */
  readonly query?: string
}
type Case = { readonly verify: Fields; readonly secret?: string; readonly sent: readonly Sent[] }

const address = 'https://hooks.example:8443/webhooks'
/** What the senders sign with, unless a case has another secret. */
const secret = 'a secret of 24 characters'
const taken = { status: 202 }
const refused = { status: 401 }
const duplicate = { status: 200, json: { status: 'duplicate' } }

const hmac = (text: string, key: string | Buffer = secret): string => createHmac('sha256', key).update(text).digest('hex')
const sha256 = (text: string, encoding: 'hex' | 'base64'): string => createHash('sha256').update(text).digest(encoding)
const signed = (body: string, text = body): { readonly 'X-Sig': string } => ({ 'X-Sig': hmac(text) })
const token = (claims: Fields): { readonly Authorization: string } => {
  const text = [{ alg: 'HS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return { Authorization: `Bearer ${text}.${createHmac('sha256', secret).update(text).digest('base64url')}` }
}

const hmacSigned = { algorithm: 'hmac_sha256', signature: { header: 'X-Sig' } }
/** A credential, which vouches for no body: nothing of a request is known by its signature. */
const credential = { algorithm: 'token', signature: { header: 'X-Pass' } }
const pass = { 'X-Pass': secret }

/** Where the signature, the digest of the body and the time may stand. */
const places = (seconds: number): { readonly [route: string]: Case } => {
  const old = seconds - 3_600
  return {
    'signature-query': {
      verify: { algorithm: 'hmac_sha256', signature: { query: 'sig' } },
      sent: [
        { why: 'a signature in the query', wanted: taken, query: `?sig=${hmac('{}')}`, body: '{}' },
        { why: 'a wrong one', wanted: refused, query: `?sig=${hmac('{ }')}`, body: '{}' },
      ],
    },
    'digest-header': {
      verify: { ...hmacSigned, signed: '{header.X-Digest}', body_digest: { header: 'X-Digest', encoding: 'base64' } },
      sent: ['{}', '{"other":1}'].map((body) => ({
        why: `a digest in a header, in base64, of ${body}`,
        wanted: body === '{}' ? taken : refused,
        headers: { ...signed(sha256('{}', 'base64')), 'X-Digest': sha256('{}', 'base64') },
        body,
      })),
    },
    'digest-query': {
      verify: { ...hmacSigned, signed: '{url}', body_digest: { query: 'sum' } },
      sent: ['{}', '{"other":1}'].map((body) => {
        const query = `?sum=${sha256('{}', 'hex')}`
        const wanted = body === '{}' ? taken : refused
        return { why: `a digest in the query, of ${body}`, wanted, headers: signed(`${address}/digest-query${query}`), query, body }
      }),
    },
    'query-parts': {
      verify: { ...hmacSigned, signed: '{url}', body_digest: { query: 'sum' } },
      sent: [0, 1_000].map((more) => {
        const query = `?sum=${sha256('{}', 'hex')}${'&sum='.repeat(more)}`
        return {
          why: `${more} more`,
          wanted: more === 0 ? taken : refused,
          headers: signed(`${address}/query-parts${query}`),
          query,
          body: '{}',
        }
      }),
    },
    'digest-claim': {
      verify: { algorithm: 'jwt', body_digest: { claim: 'sum' } },
      sent: [
        ...['{}', '{"other":1}'].map((body) => ({
          why: `a digest in a claim, of ${body}`,
          wanted: body === '{}' ? taken : refused,
          headers: token({ sum: sha256('{}', 'hex') }),
          body,
        })),
        { why: 'a claim that is no text', wanted: refused, headers: token({ sum: 1 }), body: '{}' },
      ],
    },
    'time-query': {
      verify: { ...hmacSigned, timestamp: { query: 't' }, signed: '{timestamp}.{body}' },
      sent: [seconds, old].map((at) => ({
        why: `a time in the query: ${at === old ? 'an hour ago' : 'now'}`,
        wanted: at === old ? refused : taken,
        headers: signed('{}', `${at}.{}`),
        query: `?t=${at}`,
        body: '{}',
      })),
    },
    'time-optional': {
      verify: { ...hmacSigned, timestamp: { header: 'X-Time', optional: true } },
      sent: [
        { why: 'no time, where it is optional', wanted: taken, headers: signed('{}'), body: '{}' },
        { why: 'an old one', wanted: refused, headers: { ...signed('{"n":1}'), 'X-Time': String(old) }, body: '{"n":1}' },
      ],
    },
    'any-port': {
      verify: { ...hmacSigned, signed: '{url}|{body}', port: 'either' },
      sent: ['https://hooks.example:8443', 'https://hooks.example'].map((host, i) => {
        const body = `{"n":${i}}`
        return { why: `signed for ${host}`, wanted: taken, headers: signed(body, `${host}/webhooks/any-port|${body}`), body }
      }),
    },
    sends: {
      verify: { ...hmacSigned, sends: ['json'] },
      sent: [
        { why: 'JSON of a sender of JSON', wanted: taken, headers: signed('{}'), body: '{}' },
        {
          why: 'a form of a sender of JSON',
          wanted: refused,
          headers: { ...signed('a=1'), 'content-type': 'application/x-www-form-urlencoded' },
          body: 'a=1',
        },
      ],
    },
  }
}

/** How keys are written. */
const keys: { readonly [route: string]: Case } = Object.fromEntries(
  (
    [
      ['hex', { encoding: 'hex' }, Buffer.alloc(24, 7).toString('hex'), Buffer.alloc(24, 7)],
      ['whsec', { encoding: 'base64', prefix: 'whsec_' }, `whsec_${Buffer.alloc(24, 8).toString('base64')}`, Buffer.alloc(24, 8)],
    ] as const
  ).map(([name, key, written, bytes]) => [
    `key-${name}`,
    {
      verify: { ...hmacSigned, key },
      secret: written,
      sent: [
        { why: `a key in ${name}`, wanted: taken, headers: { 'X-Sig': hmac('{}', bytes) }, body: '{}' },
        { why: 'its text as the key', wanted: refused, headers: { 'X-Sig': hmac('{}', written) }, body: '{}' },
      ],
    },
  ]),
)

/** As what a request is known: its id and its type, and questions, which are no events. */
const events: { readonly [route: string]: Case } = {
  'id-header': {
    verify: { ...hmacSigned, id: { header: 'X-Own-Id', within: { header: 'X-Source' } } },
    sent: [
      ['a', '1'],
      ['b', '1'],
      ['a', '1'],
    ].map(([source = '', id = ''], i) => ({
      why: `the id ${id} of ${source}`,
      wanted: i < 2 ? { status: 202, json: { delivery_id: `${source} ${id}` } } : duplicate,
      headers: { ...signed(`{"n":${i}}`), 'X-Own-Id': id, 'X-Source': source },
      body: `{"n":${i}}`,
    })),
  },
  'id-digest': {
    verify: { ...credential, id: { digest: true } },
    sent: ['{"n":1}', '{"n":2}', '{"n":1}'].map((body, i) => ({
      why: `the digest as the id: ${body}`,
      wanted: i < 2 ? taken : duplicate,
      headers: pass,
      body,
    })),
  },
  'type-header': {
    verify: { ...hmacSigned, event: { header: 'X-Topic' } },
    sent: [
      {
        why: 'the type in a header',
        wanted: { status: 202, json: { event: 'order.paid' } },
        headers: { ...signed('{}'), 'X-Topic': 'order.paid' },
        body: '{}',
      },
    ],
  },
  'type-body': {
    verify: { ...hmacSigned, event: { body: 'about.kind' } },
    sent: [
      {
        why: 'the type in the body',
        wanted: { status: 202, json: { event: 'order.paid' } },
        headers: signed('{"about":{"kind":"order.paid"}}'),
        body: '{"about":{"kind":"order.paid"}}',
      },
    ],
  },
  'type-present': {
    verify: { ...hmacSigned, event: { present: ['message', 'edited'] } },
    sent: [
      {
        why: 'a field as the type',
        wanted: { status: 202, json: { event: 'edited' } },
        headers: signed('{"n":1,"edited":{}}'),
        body: '{"n":1,"edited":{}}',
      },
    ],
  },
  question: {
    verify: {
      ...hmacSigned,
      handshakes: [{ when: { body: 'challenge', absent: 'event' }, answer: { status: 203, text: 'it is {value}' } }],
    },
    sent: [
      { why: 'a question', wanted: { status: 203, text: 'it is b' }, headers: signed('{"challenge":"b"}'), body: '{"challenge":"b"}' },
      {
        why: 'an event with the same field',
        wanted: taken,
        headers: signed('{"challenge":"b","event":1}'),
        body: '{"challenge":"b","event":1}',
      },
    ],
  },
}

t.test('each key of a description decides whether a request is taken, or what it is taken for', async (t) => {
  const { key, pem } = certificateOf('a sender')
  // A minute on, so that the certificate is valid.
  const present = Date.now() + 60_000
  const certificates: { readonly [route: string]: Case } = {
    certificate: {
      verify: {
        algorithm: 'rsa_sha256',
        signature: { header: 'X-Sig' },
        certificate: { header: 'X-Cert', hosts: ['keys.example'] },
        identity: { header: 'X-Account' },
      },
      sent: (
        [
          ['keys.example', 'sha256', taken],
          ['other.example', 'sha256', refused],
          ['', 'sha256', refused],
          ['keys.example', 'sha1', refused],
        ] as const
      ).map(([host, hash, wanted]) => ({
        why: `${hash}, a certificate of "${host}"`,
        wanted,
        headers: {
          'X-Sig': signBytes(hash, Buffer.from('{}'), key).toString('hex'),
          ...(host === '' ? {} : { 'X-Cert': `https://${host}/a.pem` }),
          'X-Account': secret,
        },
        body: '{}',
      })),
    },
  }
  const cases = { ...places(Math.floor(present / 1000)), ...keys, ...events, ...certificates }
  const gateway = await startGateway(t, {
    now: () => present,
    download: async () => Buffer.from(pem),
    extra: { public_url: 'https://hooks.example:8443' },
    routes: Object.fromEntries(
      Object.entries(cases).map(([route, { verify, secret: own = secret }]) => [route, { verify, secret: own, deliver: 'log' }]),
    ),
  })
  for (const [route, { sent }] of Object.entries(cases)) {
    for (const { why, wanted, headers = {}, body, query = '' } of sent) {
      const type = { 'content-type': 'application/json' }
      const path = `/webhooks/${route}${query}`
      t.match(await gateway.post(route, { sign: false, path, headers: { ...type, ...headers }, body }), wanted, `${route}: ${why}`)
    }
  }
  for (const why of [
    'the address of its certificate is missing',
    'it is signed with SHA-1, which is refused: let the sender sign with SHA-256',
  ])
    t.ok(await gateway.line(({ reason }) => String(reason).endsWith(why)), why)
})

t.test('a test event that cannot be signed is refused with the reason', async (t) => {
  const cases: readonly (readonly [verify: unknown, why: RegExp])[] = [
    [{ ...hmacSigned, key: { encoding: 'hex' } }, /the secret is no key of .*: it is not hex/],
    [{ algorithm: 'jwt', jwks_url: 'https://keys.example/jwks' }, /signs with a key that only the sender has/],
    ['standard_webhooks', /a whsec_ secret must be base64 after its prefix/],
  ]
  const routes = Object.fromEntries(
    cases.map(([verify], i) => [`r${i}`, { verify, secret: 'whsec_neither hex nor: that', deliver: 'log' }]),
  )
  const cli = fakeCli(t, { 'config.yaml': stringify({ platforms: { webhook: { enabled: true, extra: { routes } } } }) })
  for (const [i, [, why]] of cases.entries()) {
    const { code, err } = await cli.run('webhook', 'test', `r${i}`, '--payload', '{}', '--print-curl')
    t.match([code, err], [1, why], String(why))
  }
})

t.test('a finding about a scheme has its title', async (t) => {
  const config = `platforms: { webhook: { enabled: true, extra: { routes: { a: { verify: acme-sign, secret: ${secret}, prompt: p, keep_refused: signature } } } } }
signature_schemes: { acme-sign: { title: Acme of Springfield, algorithm: token, signature: { header: X-Pass } } }
`
  const { out } = await fakeCli(t, { 'config.yaml': config }).run('validate')
  t.match(out, /keeps nothing of Acme of Springfield/)
})
