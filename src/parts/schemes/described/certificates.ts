/**
 * Certificates by their addresses, which requests name. A certificate that has verified a request is never dropped for one that has not.
 */

import { type KeyObject, X509Certificate } from 'node:crypto'
import type { RequestHead } from '../../../core/request.ts'
import type { SchemeCertificate } from '../../../generated/config.ts'
import type { FetchedKey, SenderKeys } from '../../sender-keys.ts'
import type { RemoteKeys } from './remote-keys.ts'
import { certificateAddress } from './sender-address.ts'

const maxBytes = 65_536
const maxProven = 16
/** The most certificates that wait for a request that they verify: a stranger can make us fetch any certificate of the sender's hosts. */
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

/** `place`: the hosts, and the path, at which certificates may be. */
export const createCertificates = (place: Pick<SchemeCertificate, 'hosts' | 'path'>, { fetch, kept }: SenderKeys): RemoteKeys => {
  /** The certificates that have verified a request, the least recently used first. */
  const proven = new Map<string, Certificate>()
  /** The other certificates, oldest first. */
  const unproven = new Map<string, Certificate>()
  const used = new WeakMap<RequestHead, Certificate>()

  const take = (address: string, from: FetchedKey): Certificate | undefined => {
    const known = [proven.get(address), unproven.get(address)].find((each) => each?.from.bytes === from.bytes)
    if (known) return known
    const certificate = parseCertificate(address, from)
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

/** Drops a certificate that is no longer valid, or else the least recently used. */
const makeRoom = (proven: Map<string, Certificate>, at: number): void => {
  const invalid = [...proven.values()].find((certificate) => !isValid(certificate, at))
  if (invalid) proven.delete(invalid.address)
  else forgetFirst(proven)
}

const forgetFirst = (certificates: Map<string, Certificate>): void => {
  const first = certificates.keys().next().value
  if (first !== undefined) certificates.delete(first)
}

/** Moves a certificate to the end: a Map keeps the order in which keys were set. */
const putLast = (certificates: Map<string, Certificate>, address: string, certificate: Certificate): void => {
  certificates.delete(address)
  certificates.set(address, certificate)
}

/** Parses a certificate; `undefined` for any other bytes. */
const parseCertificate = (address: string, from: FetchedKey): Certificate | undefined => {
  try {
    const { publicKey, validFrom, validTo } = new X509Certificate(from.bytes)
    return { address, key: publicKey, validFrom: Date.parse(validFrom), validTo: Date.parse(validTo), from }
  } catch {
    return undefined
  }
}
