/**
 * The mutation that uses a captured signature for another scheme with the same key: the signed text is split into a body, a time and an id
 * of the other scheme.
 */

import type { Random } from '../../../bench/durability/random.ts'
import type { SignatureScheme } from '../../../src/generated/config.ts'
import { formType, joined, partsOf, signedPieces, withPart, withSignature } from '../parts.ts'
import { decodeUtf8, headerIn, type Sent, withBody, withHeader } from '../request.ts'
import type { Sender } from '../senders.ts'
import { addressOf, type RouteSettings } from '../world.ts'
import { asAnything } from './content.ts'
import type { Mutate, Mutation, Scene } from './mutation.ts'

/** A captured signature, with the text that it signs. */
export type Loot = { readonly algorithm: SignatureScheme['algorithm']; readonly text: string; readonly digest: Buffer }

const isHmac = ({ algorithm }: Pick<SignatureScheme, 'algorithm'>): boolean => algorithm.startsWith('hmac_')

const lootOf = ({ genuine: { sent, url }, sender: { description, secret } }: Scene): Loot | undefined => {
  const { header, body, label, prefix = '', encoding = 'hex' } = description.signature ?? {}
  const parts = partsOf(sent, description, { secret, url })
  const place = body === undefined ? undefined : body.toString().split('.')
  const whole = header === undefined ? place && fieldIn(sent.body, place) : headerIn(sent, header)
  const bare = label === undefined ? whole?.slice(prefix.length) : new RegExp(`\\b${label}=([^,]*)`).exec(whole ?? '')?.[1]
  if (bare === undefined) return undefined
  if (description.algorithm === 'jwt') {
    const [head = '', claims = '', digest = ''] = bare.split('.')
    return { algorithm: 'hmac_sha256', text: `${head}.${claims}`, digest: Buffer.from(digest, 'base64url') }
  }
  return parts && isHmac(description)
    ? { algorithm: description.algorithm, text: joined(parts), digest: Buffer.from(bare, encoding) }
    : undefined
}

const fieldIn = (body: string, path: readonly string[]): string | undefined => {
  try {
    return String(path.reduce<unknown>((at, key) => (at as { [key: string]: unknown })[key], JSON.parse(body)))
  } catch {
    return undefined
  }
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Returns a pattern for each variable of the other scheme, which the values of the variable match. */
const formsOf = (description: SignatureScheme, route: RouteSettings): { readonly [name: string]: string } => ({
  body: '[^]*',
  json: '[^]*',
  form: '[^]*',
  payload: '[^]+',
  id: '[^]+?',
  header: '[^]*?',
  method: 'POST',
  timestamp: description.timestamp?.unit === 'iso8601' ? '\\d{4}-[-:.TZ0-9+]+?' : '\\d+(?:\\.\\d+)?',
  url: `${literal(addressOf(route))}(?:[?#][^]*)?`,
})

/** Splits the signed text into the parts of a request of the other scheme; `undefined` where this is not possible. */
const partsFor = (text: string, description: SignatureScheme, route: RouteSettings) => {
  const pieces = signedPieces(description)
  const forms = formsOf(description, route)
  if (pieces.some((piece) => 'name' in piece && forms[piece.name] === undefined)) return undefined
  const form = pieces.map((piece) => ('name' in piece ? `(${forms[piece.name]})` : literal(piece.literal))).join('')
  const [, ...found] = new RegExp(`^${form}$`).exec(text) ?? []
  if (found.length === 0) return undefined
  return pieces.flatMap((piece) => ('name' in piece ? [piece] : [])).map((piece, i) => ({ ...piece, text: found[i] ?? '' }))
}

/**
 * Returns a request of the other scheme with this signature; `undefined` where the signed text cannot be one of that scheme. The request
 * keeps the other headers of `sent`.
 */
export const dress = (sent: Sent, loot: Loot, { description }: Sender, route: RouteSettings, random: Random): Sent | undefined => {
  const { header, body, label } = description.signature ?? {}
  const parts = description.algorithm === loot.algorithm ? partsFor(loot.text, description, route) : undefined
  if (!parts) return undefined
  const empty = withBody({ ...sent, target: `/webhooks/${route.name}` }, body === undefined ? sent.body : `{"forged":true}`)
  const labels = [description.timestamp?.label, label].flatMap((name) => (name === undefined ? [] : [`${name}=`])).join(',')
  const labelled = header === undefined || labels === '' ? empty : withHeader(empty, header, labels)
  const whole = parts.reduce<Sent | undefined>((made, part) => {
    if (part.name === 'json' && random.whole(2) === 0)
      return made && withBody(made, `payload=${encodeURIComponent(decodeUtf8(part.text))}`, formType)
    return made && withPart(made, description, part)
  }, labelled)
  return whole && withSignature(whole, description, loot.digest)
}

const redressed: Mutate = (sent, scene) => {
  const { random, sender, other, route } = scene
  const loot = lootOf(scene)
  const { header } = sender.description.signature ?? {}
  const bare = header === undefined || random.whole(4) === 0 ? sent : withHeader(sent, header, undefined)
  const dressed = loot && dress(bare, loot, other, route, random)
  return dressed && asAnything(dressed, scene)
}

export const redress: Mutation = { name: 're-dressed', mutate: redressed }
