/** Makes forged requests: each has the shape of its sender's, a time that is now, and a signature that is well-formed and wrong. */

import { randomUUID } from 'node:crypto'
import type { Route } from '../../src/generated/config.ts'
import { presets, schemes } from '../../src/parts/schemes/index.ts'
import type { Preset } from '../../src/parts/schemes/preset.ts'
import type { Scheme, Signed } from '../../src/parts/schemes/scheme.ts'
import { type Keys, keysFor } from '../../test/fakes/senders/keys.ts'
import type { Post } from '../payloads.ts'
import { type Filler, fillers, nothing, plain, withMembers } from './fillers.ts'
import { certificateHeaders, ownBodies, ownMembers, publicNames } from './strangers.ts'

/** `make`: returns the request as it is sent at a time, in milliseconds. */
export type Forgery = { readonly what: string; readonly make: (at: number) => Post }
/** `small`: a forgery that costs next to nothing. */
export type Sender = { readonly name: string; readonly route: Route; readonly forgeries: readonly Forgery[]; readonly small: Forgery }

/** The most keys that a route may have. */
const KEYS = 8
/** The room in a head besides its usual lines, within Node's 16 KiB. */
const HEAD_CHARS = 13_000

export const publicUrl = 'https://hooks.example.com'

const isPreset = (scheme: Scheme): scheme is Preset => 'description' in scheme

const newKeys = (scheme: Scheme): Keys => {
  if (isPreset(scheme)) return keysFor(scheme)
  const secret = `whsec_${Buffer.from(randomUUID()).toString('base64')}`
  return { route: { secret }, secret }
}

const routeOf = (scheme: Scheme): Route => {
  const own = Array.from({ length: KEYS }, () => newKeys(scheme).secret)
  const all = own.with(-1, publicNames[scheme.name] ?? (own.at(-1) as string))
  const keys = scheme.keys === 'public' ? { public_key: all } : { secrets: all }
  return { verify: scheme.name, deliver: 'log', ...keys } as Route
}

type Head = Pick<Post, 'path' | 'headers'>

/**
 * Makes a function that makes the head of a request. It is signed for another body and with another key. Its last header has the signature.
 */
const signing = (scheme: Scheme): ((at: number, type: string) => Head) => {
  const { secret, privateKey } = newKeys(scheme)
  const path = `/webhooks/${scheme.name}`
  const url = `${publicUrl}${path}`
  const unsigned = { secret, body: '{}', url, ...(privateKey === undefined ? {} : { privateKey }) }
  const signed = (at: number, contentType: string): Omit<Signed, 'body'> => {
    if (ownMembers[scheme.name]) return { headers: {} }
    const own = certificateHeaders[scheme.name]
    return own ? { headers: own(at) } : scheme.sign({ ...unsigned, id: randomUUID(), at, contentType })
  }
  return (at, type) => {
    const { headers, url: changed = url } = signed(at, type)
    return { path: changed.slice(publicUrl.length), headers: { 'Content-Type': type, ...headers } }
  }
}

const inQuery =
  (fields: string) =>
  ({ path, headers }: Head): Head => {
    const [route, query] = path.split('?')
    return { path: `${route}?${fields}${query ?? ''}`, headers }
  }

const inLastHeader =
  (change: (value: string) => string) =>
  ({ path, headers }: Head): Head => {
    const [name = '', value = ''] = Object.entries(headers).at(-1) ?? []
    return { path, headers: { ...headers, [name]: change(value) } }
  }

const again = (by: string) => (value: string) =>
  Array<string>(Math.max(1, Math.floor(HEAD_CHARS / (value.length + by.length))))
    .fill(value)
    .join(by)
/** How deep the header of a token is nested: three bytes are four characters of the token. */
const depth = (HEAD_CHARS * 3) / 8 - 16
const nestedHeader = Buffer.from(`{"alg":"HS256","x":${'['.repeat(depth)}${']'.repeat(depth)}}`).toString('base64url')

/** Changes that make a head costly in itself. */
const heads: { readonly [what: string]: (head: Head) => Head } = {
  'a query of 6,500 fields': inQuery('a&'.repeat(HEAD_CHARS / 2)),
  'a query of percent escapes': inQuery(`${'%41'.repeat(HEAD_CHARS / 3)}&`),
  'a long signature': inLastHeader((value) => value.padEnd(HEAD_CHARS, 'a')),
  'many signatures with commas': inLastHeader(again(',')),
  'many signatures with blanks': inLastHeader(again(' ')),
  'a token with a long header': inLastHeader((value) => value.replace(/[\w-]+(?=\.)/, nestedHeader)),
  '85 more headers': ({ path, headers }) => ({
    path,
    headers: { ...Object.fromEntries(Array.from({ length: 85 }, (_, i) => [`X-${i}`, 'a'.repeat(HEAD_CHARS / 100)])), ...headers },
  }),
}

/** The bytes of fillers that requests of many senders have. */
const shared = new Map<Filler, Buffer>()
const sharedBytes = (filler: Filler): Buffer => {
  const bytes = shared.get(filler) ?? bytesOf(filler)
  shared.set(filler, bytes)
  return bytes
}
const bytesOf = ({ text }: Filler): Buffer => Buffer.from(text, 'latin1')

/** Returns a function that makes a sender's forgeries from a filler, and from a change of the head. */
const forging = (scheme: Scheme): ((what: string, filler: Filler, change?: (head: Head) => Head) => Forgery) => {
  const head = signing(scheme)
  const members = ownMembers[scheme.name]
  return (what, filler, change = (same) => same) => ({
    what,
    make: (at) => ({
      ...change(head(at, filler.type)),
      body: members ? bytesOf(withMembers(filler, members(at))) : sharedBytes(filler),
    }),
  })
}

const senderOf = (scheme: Scheme): Sender => {
  const { name } = scheme
  const forge = forging(scheme)
  const head = signing(scheme)
  const filled = Object.entries(fillers).map(([what, filler]) => forge(what, filler))
  const headed = Object.entries(heads).map(([what, change]) => forge(what, plain, change))
  const own = Object.entries(ownBodies[name] ?? {}).map(
    ([what, fill]): Forgery => ({ what, make: (at) => ({ ...head(at, 'application/json'), body: Buffer.from(fill(at), 'latin1') }) }),
  )
  return { name, route: routeOf(scheme), forgeries: [...filled, ...headed, ...own], small: forge('nothing', nothing) }
}

/**
 * Returns every built-in scheme, with a route that has as many of its keys as a route may have. Throws for a scheme that nobody here can
 * forge.
 */
export const senders = (): Sender[] =>
  [...schemes, ...presets].map((scheme) => {
    if (isPreset(scheme) && scheme.description.signature?.body !== undefined && !ownMembers[scheme.name])
      throw new Error(`${scheme.name} signs in the body: bench/forged/strangers.ts must say what stands there`)
    return senderOf(scheme)
  })
