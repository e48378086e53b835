/** Certificates by their addresses, which requests name: what has verified a request makes no room for what has not. */

import { type KeyObject, X509Certificate } from 'node:crypto'
import type { RequestHead } from '../../../core/request.ts'
import type { SchemeCertificate } from '../../../generated/config.ts'
import type { FetchedKey, SenderKeys } from '../../sender-keys.ts'
import type { RemoteKeys } from './remote-keys.ts'
import { certificateAddress } from './sender-address.ts'

const maxBytes = 65_536
const maxProven = 16
/** A stranger can have any certificate of the sender's hosts fetched; these wait here for a request that they verify. */
const maxUnproven = 8

type Certificate = {
  readonly address: string
  readonly key: KeyObject
  /** Wall times, in milliseconds. */
  readonly validFrom: number
  readonly validTo: number
  readonly from: FetchedKey
}

const isValid = ({ validFrom, validTo }: Certificate, at: number): boolean => validFrom <= at && at <= validTo

/** `place`: on which hosts, and under which path, certificates may be. */
export const createCertificates = (place: Pick<SchemeCertificate, 'hosts' | 'path'>, { fetch, kept }: SenderKeys): RemoteKeys => {
  /** Those that verified a request, the least recently used first. */
  const proven = new Map<string, Certificate>()
  /** The others, the oldest first. */
  const unproven = new Map<string, Certificate>()
  const used = new WeakMap<RequestHead, Certificate>()

  const take = (address: string, from: FetchedKey): Certificate | undefined => {
    const known = [proven.get(address), unproven.get(address)].find((each) => each?.from.bytes === from.bytes)
    if (known) return known
    const certificate = certificateOf(address, from)
    if (!certificate) return undefined
    unproven.delete(address)
    if (unproven.size >= maxUnproven) forgetFirst(unproven)
    unproven.set(address, certificate)
    return certificate
  }
  const takeKept = (address: string): Certificate | undefined => {
    const from = kept.get(address)
    return from && take(address, from)
  }
  const use = (certificate: Certificate, head: RequestHead): KeyObject => {
    used.set(head, certificate)
    const { address } = certificate
    if (proven.get(address) === certificate) putLast(proven, address, certificate)
    return certificate.key
  }
  const knownAt = (address: string, at: number): Certificate | undefined => {
    for (const look of [() => proven.get(address), () => unproven.get(address), () => takeKept(address)]) {
      const certificate = look()
      if (certificate && isValid(certificate, at)) return certificate
    }
    return undefined
  }
  return {
    find(name, head) {
      const address = certificateAddress(name, place)
      if (address === undefined) return `the certificate is not on ${place.hosts.join(' or ')}`
      const known = knownAt(address, head.at)
      if (known) return use(known, head)
      return fetch(address, { client: head.remote(), maxBytes, isNamedByRequest: true }).then((answer) => {
        if ('later' in answer) return { later: `the certificate cannot be had now: ${answer.later}` }
        const certificate = take(address, answer)
        if (!certificate) return { later: 'the certificate cannot be had now: its address gave something else' }
        return isValid(certificate, head.at) ? use(certificate, head) : 'the certificate is not valid at this time'
      })
    },
    hasVerified(head) {
      const certificate = used.get(head)
      if (!certificate || proven.get(certificate.address) === certificate) return
      const { address, from } = certificate
      unproven.delete(address)
      if (proven.size >= maxProven && !proven.has(address)) makeRoom(proven, head.at)
      putLast(proven, address, certificate)
      kept.put(address, from)
    },
  }
}

/** Forgets one that is not valid any more, else the least recently used. */
const makeRoom = (proven: Map<string, Certificate>, at: number): void => {
  const invalid = [...proven.values()].find((certificate) => !isValid(certificate, at))
  if (invalid) proven.delete(invalid.address)
  else forgetFirst(proven)
}

const forgetFirst = (certificates: Map<string, Certificate>): void => {
  const first = certificates.keys().next().value
  if (first !== undefined) certificates.delete(first)
}

/** A Map keeps the order in which keys were set. */
const putLast = (certificates: Map<string, Certificate>, address: string, certificate: Certificate): void => {
  certificates.delete(address)
  certificates.set(address, certificate)
}

/** `undefined` for bytes that are no certificate. */
const certificateOf = (address: string, from: FetchedKey): Certificate | undefined => {
  try {
    const { publicKey, validFrom, validTo } = new X509Certificate(from.bytes)
    return { address, key: publicKey, validFrom: Date.parse(validFrom), validTo: Date.parse(validTo), from }
  } catch {
    return undefined
  }
}
