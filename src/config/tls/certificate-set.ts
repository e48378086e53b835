/** Reads the files of the certificates, and judges what is in them. Nothing here listens: `validate` reads the same set as the gateway. */

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { dayMs } from '../../core/clock.ts'
import type { Code, Path } from '../../core/diagnostic.ts'
import { messageOf } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import type { CertificateFiles, TlsSettings } from './read-tls.ts'

/** A certificate with its chain and its key. `chain`: the certificates of the file, that of the key first. */
export type CertificatePair = {
  readonly files: CertificateFiles
  readonly certPem: string
  readonly keyPem: string
  readonly chain: readonly [X509Certificate, ...X509Certificate[]]
  /** When the first of them ends: wall time, milliseconds. */
  readonly endsAt: number
}

/** All certificates of a gateway. `clientCa`: the PEM of the authorities that sign certificates of clients. */
export type CertificateSet = { readonly pairs: readonly CertificatePair[]; readonly clientCa?: string }

/** A finding about a file. `path`: where the configuration names the file, below `tls`. */
export type CertificateFinding = { readonly code: Code; readonly path: Path; readonly message: string; readonly help: string }

/** From this time before its end on, a certificate is reported to end soon. */
export const endsSoonMs = 14 * dayMs

const maxFileBytes = 262_144
/** Node 24 refuses certificates with a shorter key, and so do senders. */
const leastRsaBits = 2_048

export const certificateTexts = (pem: string): string[] => pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []

/** Says why a file cannot be used. It is thrown in this file only. */
class Unusable extends Error {
  readonly help: string
  constructor(message: string, help: string) {
    super(message)
    this.help = help
  }
}

/** Reads all files. Where one cannot be used, there is no set, and the findings (WH324) say why. */
export const readCertificateSet = (
  tls: TlsSettings,
): { readonly set?: CertificateSet; readonly findings: readonly CertificateFinding[] } => {
  const findings: CertificateFinding[] = []
  /** Returns the result of `read`; `undefined` where it finds a file that cannot be used. */
  const usable = <T>(path: Path, read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      findings.push({ code: 'WH324', path, message: error.message, help: error.help })
      return undefined
    }
  }
  const pairs = tls.pairs.flatMap((files): CertificatePair[] => {
    const read = usable([...files.path, 'cert'], () => readChain(files.cert))
    const key = usable([...files.path, 'key'], () => readKey(files.key))
    const isFit = read && key && usable([...files.path, 'key'], () => checkKey(read.chain, key.object, files))
    const chain = isFit && usable([...files.path, 'cert'], () => checkOrder(read.chain, key.object, files))
    if (!chain) return []
    return [{ files, certPem: read.pem, keyPem: key.pem, chain, endsAt: Math.min(...chain.map(({ validTo }) => Date.parse(validTo))) }]
  })
  const { clientCa: file } = tls
  const clientCa = file === undefined ? undefined : usable(['client_ca'], () => readChain(file).pem)
  if (findings.length > 0) return { findings }
  return { set: { pairs, ...(clientCa === undefined ? {} : { clientCa }) }, findings }
}

const readText = (file: string): string => {
  const help = 'name a PEM file that the user of the gateway may read'
  // With `file:` before a path, the setting has the content of the file in place of the path. That may be a private key, so the message
  // does not quote it.
  if (file.includes('\n'))
    throw new Unusable('the content of a file stands here in place of its path', 'write the path, without file: before it')
  try {
    // A named pipe would hold the program up.
    const stat = statSync(file)
    if (stat.isFile() && stat.size <= maxFileBytes) return readFileSync(file, 'utf8')
  } catch (error) {
    // The rest of Node's message is the path once more.
    throw new Unusable(`${file} cannot be read: ${messageOf(error).split(',')[0]}`, help)
  }
  throw new Unusable(`${file} is no file, or larger than ${maxFileBytes} bytes`, help)
}

const readChain = (file: string): { readonly pem: string; readonly chain: CertificatePair['chain'] } => {
  const pem = readText(file)
  try {
    const [first, ...others] = certificateTexts(pem).map((text) => new X509Certificate(text))
    if (first) return { pem, chain: [first, ...others] }
  } catch (error) {
    throw new Unusable(`a certificate in ${file} cannot be read: ${messageOf(error)}`, 'write the file anew')
  }
  const isKey = pem.includes('PRIVATE KEY-----')
  throw new Unusable(`${file} has no certificate${isKey ? ', but a key' : ''}`, 'name the file that has -----BEGIN CERTIFICATE-----')
}

const readKey = (file: string): { readonly pem: string; readonly object: KeyObject } => {
  const pem = readText(file)
  try {
    return { pem, object: createPrivateKey(pem) }
  } catch {
    if (pem.includes('ENCRYPTED')) {
      throw new Unusable(`the key in ${file} has a passphrase, and nobody is there to type it`, `openssl pkey -in ${file} -out new-key.pem`)
    }
    throw new Unusable(`${file} has no key that can be read`, 'name the file that has -----BEGIN PRIVATE KEY-----')
  }
}

/** Checks that the key is long enough, and belongs to one of the certificates. */
const checkKey = (chain: CertificatePair['chain'], key: KeyObject, { cert, key: file }: CertificateFiles): true => {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? leastRsaBits
  if (bits < leastRsaBits) throw new Unusable(`the RSA key in ${file} has ${bits} bits only`, `make one with ${leastRsaBits} or more`)
  if (chain.some((each) => each.checkPrivateKey(key))) return true
  throw new Unusable(`the key in ${file} does not belong to the certificate in ${cert}`, 'name the two files that were made together')
}

/** Returns the chain, where the certificate of the key comes first in it. */
const checkOrder = (chain: CertificatePair['chain'], key: KeyObject, { cert }: CertificateFiles): CertificatePair['chain'] => {
  const at = chain.findIndex((each) => each.checkPrivateKey(key))
  if (at === 0) return chain
  throw new Unusable(`the certificate of the key is number ${at + 1} in ${cert}`, 'put it first, and after it those that issued it')
}

/**
 * Judges a set at a wall time: certificates that are not valid now (WH325), end soon (WH326), do not cover their name (WH327) or stand in a
 * wrong order (WH328).
 */
export const judgeCertificates = ({ pairs }: CertificateSet, now: number): readonly CertificateFinding[] =>
  pairs.flatMap(({ files, chain, endsAt }) => {
    const found: CertificateFinding[] = []
    const say = (code: Code, message: string, help: string): void => {
      found.push({ code, path: [...files.path, 'cert'], message: `${files.cert}: ${message}`, help })
    }
    for (const [i, { validFrom, validTo }] of chain.entries()) {
      const which = i === 0 ? 'the certificate' : `certificate ${i + 1}`
      const help = 'get a new one, or set the clock of this machine'
      if (Date.parse(validFrom) > now) say('WH325', `${which} is not valid before ${dayOf(Date.parse(validFrom))}`, help)
      if (Date.parse(validTo) <= now) say('WH325', `${which} ended on ${dayOf(Date.parse(validTo))}`, help)
    }
    if (endsAt > now && endsAt - now <= endsSoonMs) {
      say('WH326', `it ends on ${dayOf(endsAt)}, in ${daysUntil(endsAt, now)} days`, 'renew it, and see why nothing has done so')
    }
    if (files.name !== undefined && !covers(chain[0], files.name)) {
      say('WH327', `it does not cover ${files.name}, but ${namesOf(chain[0]).join(', ') || 'no name'}`, 'name the certificate of this name')
    }
    const wrong = chain.findIndex((each, i) => i > 0 && !chain[i - 1]?.checkIssued(each))
    if (wrong > 0)
      say('WH328', `certificate ${wrong + 1} did not issue certificate ${wrong}`, 'use the file fullchain.pem as the authority made it')
    return found
  })

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

export const daysUntil = (at: number, now: number): number => Math.floor((at - now) / dayMs)

/** Whether a certificate covers a name, or, for a name with an asterisk, any name below it. */
export const covers = (certificate: X509Certificate, name: string): boolean =>
  certificate.checkHost(name.replace(/^\*/, 'any-name'), { subject: 'never' }) !== undefined

/** Returns the DNS names that a certificate covers, for people. */
export const namesOf = ({ subjectAltName = '' }: X509Certificate): string[] =>
  subjectAltName.split(', ').flatMap((each) => (each.startsWith('DNS:') ? [printable(each.slice('DNS:'.length))] : []))

/**
 * Returns what a map has for the name that a client asks for: under the name, or under the name with an asterisk for its first part.
 */
export const forServerName = <T>(byName: ReadonlyMap<string, T>, asked: string): T | undefined => {
  const name = asked.toLowerCase()
  return byName.get(name) ?? byName.get(`*.${name.slice(name.indexOf('.') + 1)}`)
}
