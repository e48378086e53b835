/**
 * Finds out why a signature does not hold: the answer of each scheme, and near misses, which are small changes of secret, body or time with
 * which the signature would hold. The search costs too much to run before the answer to a request.
 */

import { signatureHeaders } from '../core/headers.ts'
import type { Json } from '../core/json.ts'
import type { Headers, UnverifiedRequest } from '../core/request.ts'
import { renderJson } from '../expr/render.ts'
import type { Route } from '../generated/config.ts'
import { inDecidingOrder } from './deciding-order.ts'
import type { Scheme, Signed } from './schemes/scheme.ts'
import { verifyNames } from './written-names.ts'

export type SignedRoute = { readonly secrets: readonly string[]; readonly verify: Route['verify'] | undefined }

export type SchemeView = {
  readonly scheme: string
  /** The route's `verify` lists the scheme, or lists no scheme. */
  readonly listed: boolean
  /** The request has the headers of the scheme. */
  readonly shows: boolean
  readonly holds: boolean
  /** Why the signature does not hold; empty where it holds. */
  readonly why: string
}

/**
 * The answers of all schemes. `decides`: the name of the scheme that decides on the request; `undefined` where the request has the headers
 * of no listed scheme. `why`: a sentence for the log; empty where the signature holds.
 */
export type Diagnosis = { readonly decides: string | undefined; readonly schemes: readonly SchemeView[]; readonly why: string }

/** The reason that a diagnosis gives for a scheme that must fetch its keys, because a diagnosis fetches none. */
export const unfetched = 'its keys are fetched by a running gateway only'

/** The longest body for which near misses are tried, in bytes, because a stranger chose the body. */
const maxBodyBytes = 131_072
/** The most secrets of a route that are tried, and the most times of sending that are tried, as the request's headers name them. */
const maxTriedSecrets = 4
const maxTriedTimes = 2

/** Returns the diagnosis of a request. `schemes`: all schemes whose headers a request to the route may have. */
export const diagnoseSignature = (request: UnverifiedRequest, route: SignedRoute, schemes: readonly Scheme[]): Diagnosis => {
  const named = verifyNames({ verify: route.verify ?? [] })
  const pinned = named.length === 0 ? undefined : new Set(named)
  const secrets = route.secrets.slice(0, maxTriedSecrets)
  const isListed = ({ name }: Scheme): boolean => pinned?.has(name) ?? true
  const decides = inDecidingOrder(schemes.filter(isListed)).find((scheme) => scheme.shows(request.headers))
  const views = schemes.map((scheme): SchemeView => {
    const shows = scheme.shows(request.headers)
    const why = shows ? whySignatureFails(scheme, request, secrets) : `none of its headers: ${signingHeaderNames(scheme).join(', ')}`
    const hints = scheme === decides && why !== '' ? nearMisses(scheme, request, secrets) : []
    return { scheme: scheme.name, listed: isListed(scheme), shows, holds: why === '', why: [why, ...hints].join('; ') }
  })
  const view = views.find(({ scheme }) => scheme === decides?.name)
  if (view?.holds) return { decides: view.scheme, schemes: views, why: '' }
  const others = views.flatMap(({ scheme, holds, listed }) =>
    holds ? [`it holds as ${scheme}, ${listed ? 'which is not asked beside it' : 'which the route\'s "verify" does not list'}`] : [],
  )
  const seen = signatureHeaders(request.headers)
  const why = view ? `${view.scheme}: ${view.why}` : `no header of a ${pinned ? 'listed' : 'known'} scheme; seen: ${seen}`
  return { decides: view?.scheme, schemes: views, why: [why, ...others].join('; ') }
}

/**
 * Returns why the signature does not hold; empty where it holds with one of the secrets. A body that was not read counts as an empty body.
 */
const whySignatureFails = ({ compile, keys }: Scheme, request: UnverifiedRequest, secrets: readonly string[]): string => {
  let why = 'no secret of the route can serve it'
  for (const secret of keys === 'none' ? [''] : secrets) {
    const made = compile(secret)
    const check = (typeof made === 'object' ? made.run : made)?.(request)
    const holds = typeof check === 'function' ? check(request.body ?? Buffer.alloc(0)) : check
    // A promise comes from a scheme that must fetch its keys. Nobody waits for it.
    if (holds instanceof Promise) void holds.catch(() => undefined)
    if (typeof made === 'object') void made.close()
    if (holds === true) return ''
    why = typeof holds === 'string' ? holds : holds === undefined ? why : unfetched
  }
  return why
}

/**
 * Returns a sentence for each near miss that holds. Tries every near miss, even after one of them holds, so that the time taken does not
 * reveal which near miss holds.
 */
const nearMisses = (scheme: Scheme, request: UnverifiedRequest, secrets: readonly string[]): string[] => {
  if (request.body && request.body.length > maxBodyBytes) return []
  const holds = (changed: Partial<UnverifiedRequest>, with_ = secrets): boolean =>
    with_.length > 0 && whySignatureFails(scheme, { ...request, ...changed }, with_) === ''
  return [
    ...secretSpellings(secrets).map(({ note, changed }) => (holds({}, changed) ? note : '')),
    ...(request.compressed && holds({ body: request.compressed })
      ? ['it holds for the compressed body: the sender must sign the body before it compresses it']
      : []),
    ...bodyForms(request.body).map(({ note, changed }) => (holds({ body: changed }) ? note : '')),
    ...headerTimes(request.headers).map((at) =>
      holds({ at }) ? 'its signature holds for the time that it names: it came late, or again, or a clock is off' : '',
    ),
  ].filter((note) => note !== '')
}

/** A near miss: the sentence to say if the signature holds, and the changed secrets or body. */
type NearMiss<T> = { readonly note: string; readonly changed: T }

/** Returns the secrets as they may have been miscopied by hand. A secret that a change does not alter is left out. */
const secretSpellings = (secrets: readonly string[]): NearMiss<readonly string[]>[] => {
  const ways: [note: string, change: (secret: string) => string][] = [
    ["it holds without the blanks or line feed around the route's secret", (secret) => secret.trim()],
    ["it holds without the quotes around the route's secret", (secret) => secret.replace(/^(["'])(.*)\1$/s, '$2')],
    ["it holds with a line feed after the secret: the sender's copy ends in one", (secret) => `${secret}\n`],
    ['it holds with "whsec_" before the secret: the sender takes it for base64', (secret) => `whsec_${secret}`],
    ['it holds without the "whsec_" of the secret', (secret) => secret.replace(/^whsec_/, '')],
  ]
  return ways.map(([note, change]) => ({
    note,
    changed: secrets.flatMap((secret) => {
      const changed = change(secret)
      return changed === secret || changed === '' ? [] : [changed]
    }),
  }))
}

/** Returns the forms that the body may have had when its sender signed it, if something on the way rewrote the body. */
const bodyForms = (body: Buffer | undefined): NearMiss<Buffer>[] => {
  if (!body) return []
  const text = body.toString('utf8')
  const value = jsonOrUndefined(text)
  const written = value === undefined ? [] : [0, 2].map((indent) => renderJson(value, 2 * maxBodyBytes, indent as 0 | 2))
  // Python's `json.dumps` writes a blank after each comma and colon.
  const spaced = written.slice(1).map((indented) => indented.replace(/,\n */g, ', ').replace(/\n */g, ''))
  const note = 'it holds for the same JSON written otherwise: something on the way, a proxy perhaps, writes the body anew'
  const ends = 'it holds for the body with or without a line feed at its end: something on the way changes it'
  return [
    ...[...written, ...spaced].map((changed) => ({ note, changed: Buffer.from(changed) })),
    ...[`${text}\n`, text.replace(/\r?\n$/, '')].map((changed) => ({ note: ends, changed: Buffer.from(changed) })),
  ]
}

const jsonOrUndefined = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Returns the times in the timestamp headers of a request, in milliseconds since 1970. */
const headerTimes = (headers: Headers): number[] =>
  Object.entries(headers)
    .flatMap(([name, value]) =>
      name.endsWith('timestamp') && typeof value === 'string' && /^\d{1,12}$/.test(value) ? [Number(value) * 1000] : [],
    )
    .slice(0, maxTriedTimes)

/**
 * Returns the names of the headers in which a sender of the scheme puts its signature, in lower case. Headers with an id that is not signed
 * are left out.
 */
const signingHeaderNames = (scheme: Scheme): string[] => {
  const others = new Set(['x-request-id', ...(scheme.signedId ? [] : (scheme.idHeaders ?? []))])
  return Object.keys(signedHeaders(scheme))
    .map((name) => name.toLowerCase())
    .filter((name) => !others.has(name))
}

/** Returns the headers of a signed request; none for a plugin's scheme that cannot sign. */
const signedHeaders = ({ sign }: Scheme): Signed['headers'] => {
  try {
    return sign({ secret: 'any', body: '{}', id: 'any', at: 0 }).headers
  } catch {
    return {}
  }
}
