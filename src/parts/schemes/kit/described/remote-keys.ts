/** Keys that a sender publishes: a JWKS, or certificates. Fetched when first asked for, kept, and fetched again with patience. */

import { type KeyObject, X509Certificate } from 'node:crypto'
import { messageOf } from '../../../../core/fault.ts'
import { isObject, parseObject } from '../../../../core/json.ts'
import type { SchemeCertificate } from '../../../../generated/config.ts'
import type { Download, Later } from '../../scheme.ts'
import { jwkKey } from './keys.ts'

const hourMs = 3_600_000
/** A stranger can name an unknown key with each request: so seldom is the sender asked again. */
const againMs = 30_000
const maxKeys = 64
const maxBytes = 262_144
const maxCertificates = 16
const maxTries = 4
const maxWaiting = 16

/** A key, or why there is none. */
export type Found = KeyObject | string | Later

type Keys = ReadonlyMap<string, KeyObject>

/** The keys of a JWKS by their ids. Whoever asks while a fetch is under way waits for that one. */
export const createJwks = (url: string): ((kid: string, at: number, download: Download) => Found | Promise<Found>) => {
  let known: Keys = new Map()
  let fetchedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let waiting = 0
  let pending: Promise<Later | undefined> | undefined
  const refresh = async (at: number, download: Download): Promise<Later | undefined> => {
    triedAt = at
    try {
      const text = (await download(url, maxBytes)).toString('utf8')
      const keys = keysOf(text)
      if (keys.size === 0) return { later: `${url} has no keys that can be used` }
      known = keys
      fetchedAt = at
      return undefined
    } catch (error) {
      return { later: `the keys of ${url} could not be fetched: ${messageOf(error)}` }
    } finally {
      pending = undefined
    }
  }
  return (kid, at, download) => {
    const key = known.get(kid)
    if (key && Math.abs(at - fetchedAt) < hourMs) return key
    if (!pending && Math.abs(at - triedAt) < againMs) return key ?? `${url} has no key with the id that the token names`
    // Each of those who wait holds its body.
    if (waiting >= maxWaiting) return { later: `too many wait for the keys of ${url}` }
    pending ??= refresh(at, download)
    waiting++
    // A sender whose keys cannot be had at the moment is still known by those of the last hour.
    return pending.then((why) => {
      waiting--
      return known.get(kid) ?? why ?? `${url} has no key with the id that the token names`
    })
  }
}

const keysOf = (text: string): Keys => {
  const listed = parseObject(text)?.keys
  const keys = new Map<string, KeyObject>()
  for (const jwk of Array.isArray(listed) ? listed.slice(0, maxKeys) : []) {
    if (!isObject(jwk) || (jwk.use !== undefined && jwk.use !== 'sig')) continue
    const key = jwkKey(jwk)
    if (key && key.type === 'public') keys.set(typeof jwk.kid === 'string' ? jwk.kid : '', key)
  }
  return keys
}

/**
 * Whether an address is https on one of these hosts; an asterisk stands for one part of a name, or for letters and digits within one. Plain
 * http is for loopback only.
 */
export const isOnHost = (address: string, hosts: readonly string[]): boolean => {
  if (!URL.canParse(address)) return false
  const { protocol, host, username, password } = new URL(address)
  if (username !== '' || password !== '' || (protocol !== 'https:' && !(protocol === 'http:' && isLoopbackHost(host)))) return false
  const parts = host.split('.')
  return hosts.some((pattern) => {
    const wanted = pattern.split('.')
    return wanted.length === parts.length && wanted.every((part, i) => part === '*' || fits(parts[i] ?? '', part, '[a-z0-9]+'))
  })
}

/** Whether a text is as a pattern says, whose asterisks stand for `any`. */
const fits = (text: string, pattern: string, any: string): boolean =>
  text === pattern || (pattern.includes('*') && new RegExp(`^${pattern.replace(/[.]/g, '\\.').replaceAll('*', any)}$`).test(text))

/** Whether an address is no more than such a path on its host. */
const isPath = (address: string, pattern: string | undefined): boolean => {
  const { pathname, search, hash } = new URL(address)
  return pattern === undefined || (search === '' && hash === '' && fits(pathname, pattern, '[A-Za-z0-9_-]+'))
}

const isLoopbackHost = (host: string): boolean => /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host)

/** Certificates by their addresses. */
export const createCertificates = ({
  hosts,
  path,
}: Pick<SchemeCertificate, 'hosts' | 'path'>): ((address: string, at: number, download: Download) => Found | Promise<Found>) => {
  const known = new Map<string, { readonly certificate: X509Certificate; readonly at: number }>()
  let triedAt = Number.NEGATIVE_INFINITY
  let tries = 0
  const fetchOne = async (address: string, at: number, download: Download): Promise<Found> => {
    try {
      const certificate = new X509Certificate(await download(address, maxBytes))
      const oldest = known.size >= maxCertificates ? known.keys().next().value : undefined
      if (oldest !== undefined) known.delete(oldest)
      known.set(address, { certificate, at })
      return keyAt(certificate, at)
    } catch (error) {
      return { later: `the certificate could not be fetched: ${messageOf(error)}` }
    }
  }
  return (address, at, download) => {
    if (!isOnHost(address, hosts) || !isPath(address, path)) return `the certificate is not on ${hosts.join(' or ')}`
    const have = known.get(address)
    if (have) return keyAt(have.certificate, at)
    // A stranger may name address after address: a few in half a minute are fetched.
    if (Math.abs(at - triedAt) >= againMs) tries = 0
    if (tries >= maxTries) return { later: 'too many new certificates in half a minute' }
    if (tries === 0) triedAt = at
    tries++
    return fetchOne(address, at, download)
  }
}

const keyAt = (certificate: X509Certificate, at: number): Found =>
  Date.parse(certificate.validFrom) <= at && at <= Date.parse(certificate.validTo)
    ? certificate.publicKey
    : 'the certificate is not valid at this time'
