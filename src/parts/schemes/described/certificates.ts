/**
 * Fetches and remembers the certificates of a sender, which names the address of a certificate in each request. A certificate that has
 * verified a request is never dropped in favour of a certificate that has not.
 */

import { type KeyObject, X509Certificate } from 'node:crypto'
import type { RequestHead } from '../../../core/request.ts'
import type { SchemeCertificate } from '../../../generated/config.ts'
import type { FetchedKey, KeptKeys, SenderKeys } from '../../sender-keys.ts'
import type { RemoteKeys } from './remote-keys.ts'
import { certificateAddress } from './sender-address.ts'

/** The most bytes of a certificate. */
const maxBytes = 65_536
const maxProven = 16
/**
 * The most certificates that have not verified a request. Their number is small, because a stranger can make the gateway fetch any
 * certificate on the hosts of the sender.
 */
const maxUnproven = 8

type Certificate = {
  readonly address: string
  readonly key: KeyObject
  /** Wall times, in milliseconds. */
  readonly validFrom: number
  readonly validTo: number
  readonly fetched: FetchedKey
}

const isValid = ({ validFrom, validTo }: Certificate, at: number): boolean => validFrom <= at && at <= validTo

/** Makes the certificates of one sender, for one route. `place`: the hosts and the path at which certificates may be. */
export const createRemoteCertificates = (place: Pick<SchemeCertificate, 'hosts' | 'path'>, { fetchKey, kept }: SenderKeys): RemoteKeys => {
  const certificates = createCertificateMemory(kept)
  const used = new WeakMap<RequestHead, Certificate>()
  const use = (certificate: Certificate, head: RequestHead): KeyObject => {
    used.set(head, certificate)
    certificates.touch(certificate)
    return certificate.key
  }
  return {
    find(name, head) {
      const address = certificateAddress(name, place)
      if (address === undefined) return `the certificate is not on ${place.hosts.join(' or ')}`
      const known = certificates.validAt(address, head.at)
      if (known) return use(known, head)
      return fetchKey(address, { client: head.remote(), maxBytes, isNamedByRequest: true }).then((answer) => {
        if ('later' in answer) return { later: `the certificate cannot be had now: ${answer.later}` }
        const certificate = certificates.take(address, answer)
        if (!certificate) return { later: 'the certificate cannot be had now: its address gave something else' }
        return isValid(certificate, head.at) ? use(certificate, head) : 'the certificate is not valid at this time'
      })
    },
    noteVerified(head) {
      const certificate = used.get(head)
      if (certificate) certificates.prove(certificate, head.at)
    },
  }
}

/** Remembers certificates in memory, and takes certificates that were kept before a restart. */
const createCertificateMemory = (kept: KeptKeys) => {
  /** The certificates that have verified a request, the least recently used first. */
  const proven = new Map<string, Certificate>()
  /** The certificates that have verified no request, or only before a restart; the oldest first. */
  const unproven = new Map<string, Certificate>()

  /**
   * Remembers the certificate in the bytes that an address gave. `undefined` where the bytes are no certificate. Several requests may share
   * one fetch, and then the certificate is remembered already.
   */
  const take = (address: string, fetched: FetchedKey): Certificate | undefined => {
    const known = [proven.get(address), unproven.get(address)].find((each) => each?.fetched.bytes === fetched.bytes)
    if (known) return known
    const certificate = parseCertificate(address, fetched)
    if (!certificate) return undefined
    unproven.delete(address)
    if (unproven.size >= maxUnproven) dropFirst(unproven)
    unproven.set(address, certificate)
    return certificate
  }
  const takeKept = (address: string): Certificate | undefined => {
    const fetched = kept.get(address)
    return fetched && take(address, fetched)
  }
  return {
    take,
    validAt(address: string, at: number): Certificate | undefined {
      for (const look of [() => proven.get(address), () => unproven.get(address), () => takeKept(address)]) {
        const certificate = look()
        if (certificate && isValid(certificate, at)) return certificate
      }
      return undefined
    },
    /** Notes that the certificate is used now. A proven certificate is then dropped later than others. */
    touch(certificate: Certificate): void {
      if (proven.get(certificate.address) === certificate) putLast(proven, certificate.address, certificate)
    },
    prove(certificate: Certificate, at: number): void {
      const { address, fetched } = certificate
      if (proven.get(address) === certificate) return
      unproven.delete(address)
      if (proven.size >= maxProven && !proven.has(address)) makeRoom(proven, at)
      putLast(proven, address, certificate)
      kept.put(address, fetched)
    },
  }
}

/** Drops one of the proven certificates: one that is no longer valid, or else the least recently used. */
const makeRoom = (proven: Map<string, Certificate>, at: number): void => {
  const invalid = [...proven.values()].find((certificate) => !isValid(certificate, at))
  if (invalid) proven.delete(invalid.address)
  else dropFirst(proven)
}

const dropFirst = (certificates: Map<string, Certificate>): void => {
  const first = certificates.keys().next().value
  if (first !== undefined) certificates.delete(first)
}

/** Puts a certificate at the end of the map: a Map keeps the order in which keys were set. */
const putLast = (certificates: Map<string, Certificate>, address: string, certificate: Certificate): void => {
  certificates.delete(address)
  certificates.set(address, certificate)
}

const parseCertificate = (address: string, fetched: FetchedKey): Certificate | undefined => {
  try {
    const { publicKey, validFrom, validTo } = new X509Certificate(fetched.bytes)
    return { address, key: publicKey, validFrom: Date.parse(validFrom), validTo: Date.parse(validTo), fetched }
  } catch {
    return undefined
  }
}
