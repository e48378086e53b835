/**
 * Makes genuine requests of a sender: its samples, with ids of all kinds, and with texts that strangers may write in the sender's events.
 */

import { createHmac } from 'node:crypto'
import type { Random } from '../../bench/durability/random.ts'
import { Fault } from '../../src/core/fault.ts'
import type { Json } from '../../src/core/json.ts'
import { setField } from '../../src/parts/body/multipart/set-field.ts'
import type { Signed } from '../../src/parts/schemes/scheme.ts'
import { headerIds } from './exempt.ts'
import { hostileTexts } from './hostile-texts.ts'
import { joined, jsonFieldOf, jsonOf, partsOf, withPart, withSignature } from './parts.ts'
import { bytesOf, type HeaderLine, headerIn, type Sent, withHeader } from './request.ts'
import type { Sender } from './senders.ts'
import { setAt, textPaths } from './set-at.ts'
import { type Address, addressOf, host } from './world.ts'

export type Genuine = {
  readonly sent: Sent
  /** The URL that was signed. */
  readonly url: string
  /** How the request differs from a sample; empty where it does not. */
  readonly variants: readonly string[]
}

/** The earliest time at which a request is sent, in milliseconds since 1970. A certificate that is made today is still valid then. */
const sendingTime = 4_000_000_000_000

type Draft = {
  readonly body: string
  readonly id: string
  readonly at: number
  readonly query: string
  readonly variants: readonly string[]
}
type Change = (draft: Draft, sender: Sender, random: Random, type: string) => Draft

const isForm = (type: string): boolean => type.toLowerCase().startsWith('application/x-www-form-urlencoded')

/** The paths of texts that a sender itself needs, so that no stranger's text is put there. */
const ownPaths = ({ description: { id, event, timestamp, signature, identity, certificate } }: Sender): ReadonlySet<string> =>
  new Set([id, event, timestamp, signature, identity, certificate].flatMap((place) => [place?.body ?? []].flat()))

/** The names of fields that strangers write in, such as the text of a message. */
const open = ['Body', 'Message']

const theirs = 'a text of a stranger'

const strangerText: Change = (draft, sender, random, type) => {
  const text = random.pick(hostileTexts)
  if (isForm(type)) {
    const fields = new URLSearchParams(draft.body)
    if (jsonFieldOf(fields) !== undefined) return draft
    fields.set(open.find((name) => fields.has(name)) ?? random.pick([...fields.keys()]), text)
    return { ...draft, body: fields.toString(), variants: [...draft.variants, theirs] }
  }
  if (type.startsWith('multipart/')) return { ...draft, body: setField(draft.body, 'text', text), variants: [...draft.variants, theirs] }
  const payload = JSON.parse(draft.body) as Json
  const own = ownPaths(sender)
  const paths = textPaths(payload).filter((path) => !own.has(path.join('.')))
  const path = paths.find(([name]) => open.includes(name ?? '')) ?? (paths.length > 0 ? random.pick(paths) : undefined)
  return path === undefined ? draft : { ...draft, body: JSON.stringify(setAt(payload, path, text)), variants: [...draft.variants, theirs] }
}

const oddId: Change = (draft, _sender, random) => {
  const digits = digitsOf(random, 9)
  const id = random.pick([
    digits.repeat(6),
    'a'.repeat(201),
    `${'a'.repeat(200)}-${digits}`,
    `é${digits}`,
    `${digits}|x`,
    `${digits}.5`,
    `a, ${digits}`,
  ])
  return { ...draft, id, variants: [...draft.variants, 'an odd id'] }
}

/** JSON bodies that are no maps. Only senders of the generic schemes may send such bodies. */
const bare: Change = (draft, _sender, random) => ({
  ...draft,
  body: random.pick(['"a&payload=%7B%22forged%22%3Atrue%7D&b=c"', '123.456', '17', 'true', '"a=b"', '[1]']),
  variants: [...draft.variants, 'JSON that is no map'],
})

const generic: ReadonlySet<string> = new Set(['v1', 'v2', 'standard_webhooks', 'svix'])

const changesFor = ({ name }: Sender, random: Random): readonly Change[] => [
  ...(generic.has(name) && random.whole(5) === 0 ? [bare] : random.whole(2) === 0 ? [strangerText] : []),
  ...(random.whole(6) === 0 ? [oddId] : []),
]

const hex = (random: Random, length: number): string => Array.from({ length }, () => random.whole(16).toString(16)).join('')

type Here = { readonly name: string; readonly address: Address }

const digitsOf = (random: Random, length: number): string => String(random.whole(10 ** length)).padStart(length, '0')

/**
 * Returns a signed request with one event, or `undefined` where the sender signs no event of this kind. `id`: the delivery id that the
 * event gets.
 */
export const createGenuine = (sender: Sender, random: Random, route: Here, id?: string): Genuine | undefined => {
  const sample = random.pick(sender.samples)
  const told = { lines: Object.entries(sample.headers) as readonly HeaderLine[] }
  const type = headerIn(told, 'content-type') ?? 'application/json'
  const start: Draft = { body: sample.body, id: longDigits(random), at: sendingTime + random.whole(900_000), query: '', variants: [] }
  const changed = changesFor(sender, random).reduce((made, change) => change(made, sender, random, type), start)
  const draft = id === undefined ? changed : { ...changed, id, variants: [...changed.variants, 'an id'] }
  const url = addressOf(route, draft.query)
  const signed = signedBy(sender, draft, url, type)
  if (!signed) return undefined
  const kept = told.lines.filter(([name, value]) => value !== '***' && !/^(?:x-request-id|content-type|content-length|host)$/i.test(name))
  const bare: Sent = {
    target: `/webhooks/${route.name}${/\?.*$/.exec(signed.url ?? url)?.[0] ?? ''}`,
    lines: [...addressHeaders(route.address), ['Content-Type', type], ...kept],
    body: bytesOf(signed.body),
    at: draft.at,
  }
  // The program's own test requests get an X-Request-ID where the sender has no id. A genuine request of the sender has no such header.
  const own = Object.entries(signed.headers).filter(([name]) => sender.scheme.byName !== true || name !== 'X-Request-ID')
  const sent = own.reduce((made, [name, value]) => withHeader(made, name, inBytes(value)), bare)
  const last = maybeNameless({ sent, url: signed.url ?? url, variants: draft.variants }, sender, random)
  if (sender.description.algorithm === 'jwt') return oddClaims(last, sender, random)
  return (random.whole(6) === 0 ? oddTime(last, sender, random) : undefined) ?? last
}

/** Sometimes leaves out the header with the id, as some senders do. The gateway then takes a digest of what is signed for the id. */
const maybeNameless = (genuine: Genuine, { name, scheme }: Sender, random: Random): Genuine => {
  const [header] = scheme.idHeaders ?? []
  if (header === undefined || scheme.byName !== true || headerIds[name] === undefined || random.whole(6) > 0) return genuine
  return { ...genuine, sent: withHeader(genuine.sent, header, undefined), variants: [...genuine.variants, 'no id header'] }
}

/**
 * Returns an id of fifty hexadecimal digits, as long as the longest ids of senders. Some ids begin with four decimal digits, which could be
 * the end of a number in front of them.
 */
const longDigits = (random: Random): string =>
  hex(random, 50).replace(/^.{4}/, (start) => (random.whole(2) === 0 ? start : digitsOf(random, 4)))

const signedBy = (sender: Sender, { body, id, at, variants }: Draft, url: string, contentType: string): Signed | undefined => {
  try {
    return sender.sign({ body, id, at, url, contentType })
  } catch (error) {
    if (variants.length === 0 || !(error instanceof Fault)) throw error
    return undefined
  }
}

/** Returns a header value as a sender writes it: a value with characters that are not in latin1 becomes its UTF-8 bytes. */
const inBytes = (value: string): string => (/[^\0-\xff]/.test(value) ? bytesOf(value) : value)

const addressHeaders = (address: Address): readonly HeaderLine[] =>
  address === 'proxy'
    ? [
        ['Host', '127.0.0.1:8644'],
        ['X-Forwarded-Proto', 'https'],
        ['X-Forwarded-Host', host],
      ]
    : [['Host', host]]

/**
 * Returns the request with a token whose times are texts or are missing. A sender may write such a token, and it must not be accepted for
 * ever.
 */
const oddClaims = ({ sent, ...genuine }: Genuine, { description, secret }: Sender, random: Random): Genuine => {
  const { header = 'Authorization', prefix = '' } = description.signature ?? {}
  const [head = '', body = ''] = (headerIn(sent, header) ?? '').slice(prefix.length).split('.')
  const { iat, ...rest } = jsonOf({ body: Buffer.from(body, 'base64url').toString('latin1') }) as { readonly iat: number }
  const times = random.pick([
    { iat },
    { exp: iat + 60 },
    { exp: String(iat + 60) },
    { iat: String(iat) },
    { iat, exp: `${iat + 60}` },
    { iat: [iat] },
    { iat, nbf: String(iat) },
  ])
  const input = `${head}.${Buffer.from(JSON.stringify({ ...rest, ...times })).toString('base64url')}`
  const token = `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
  const isOdd = Object.values(times).some((time) => typeof time !== 'number')
  const variants = isOdd ? [...genuine.variants, `a token with ${JSON.stringify(times)}`] : genuine.variants
  return { ...genuine, sent: withHeader(sent, header, `${prefix}${token}`), variants }
}

const hashes: { readonly [algorithm: string]: string } = { hmac_sha256: 'sha256', hmac_sha1: 'sha1', hmac_sha512: 'sha512' }

/**
 * Returns the request with a time in milliseconds or with a fraction, as some senders write, signed anew; `undefined` where no time is
 * signed with a shared key.
 */
const oddTime = ({ sent, url, variants }: Genuine, { description, secret }: Sender, random: Random): Genuine | undefined => {
  const hash = hashes[description.algorithm]
  const partsNow = (of: Sent) => partsOf(of, description, { secret, url })
  const time = partsNow(sent)?.find(({ name }) => name === 'timestamp')?.text
  if (time === undefined || hash === undefined) return undefined
  const text = random.pick([`${time}000`, `${time}123`, `${time}.0`, `${time}.123456`, time.replace('Z', '+00:00')])
  const changed = withPart(sent, description, { name: 'timestamp', text })
  const parts = changed && partsNow(changed)
  const signed =
    parts &&
    withSignature(
      changed,
      description,
      createHmac(hash, secret)
        .update(Buffer.from(joined(parts), 'latin1'))
        .digest(),
    )
  return signed && { sent: signed, url, variants: [...variants, 'an odd time'] }
}
