/**
 * The certificates that the server shows. When a reload or changed files bring other certificates that are valid, new connections get
 * these, all at once; otherwise the certificates in use stay. So a program that renews certificates need not tell the gateway.
 */

import { createSecureContext, type SecureContext, type SecureContextOptions, type Server } from 'node:tls'
import {
  type CertificatePair,
  type CertificateSet,
  endsSoonMs,
  forServerName,
  judgeCertificates,
  namesOf,
  readCertificateSet,
} from '../../config/tls/certificate-set.ts'
import { certificateFilesOf } from '../../config/tls/check-tls.ts'
import type { TlsSettings } from '../../config/tls/read-tls.ts'
import { type Clock, dayMs } from '../../core/clock.ts'
import { isErrorCode } from '../../core/diagnostic.ts'
import type { Facts } from '../../core/facts/facts.ts'
import { exit, Fault, messageOf } from '../../core/fault.ts'
import { stampOf } from '../../core/file-stamp.ts'
import { repeat } from '../../core/turns/repeat.ts'
import type { Status } from '../../generated/control.ts'

export type ServedCertificatesOptions = {
  readonly settings: () => TlsSettings
  readonly clock: Clock
  readonly facts: Facts
}

/** What the status says of the certificates. */
export type CertificatesView = Pick<Status, 'certificates' | 'certificates_refused'>

/** `version`: names the settings and the state of their files from which the set was read. */
type Served = { readonly set: CertificateSet; readonly byName: ReadonlyMap<string, SecureContext>; readonly version: string }

/** The time between two polls of the files. A change counts once two polls have seen it, so that both files of a pair are there. */
const pollEveryMs = 10_000
const maxNames = 20

export class ServedCertificates {
  readonly #options: ServedCertificatesOptions
  readonly #server: Server
  #served: Served
  #refused: Status['certificates_refused']
  /** The version that the last poll saw. */
  #seen: string
  /** When the log last said that a certificate ends soon, by the certificate's file. */
  readonly #toldAt = new Map<string, number>()

  /** Gives the server its certificates. Throws a Fault where they cannot be used. */
  constructor(options: ServedCertificatesOptions, server: Server) {
    this.#options = options
    this.#server = server
    const settings = options.settings()
    try {
      this.#served = this.#install(settings, versionOf(settings))
    } catch (error) {
      throw new Fault('certificates', messageOf(error), { exitCode: exit.config, hint: 'headgate validate', cause: error })
    }
    this.#seen = this.#served.version
    // The check at the start has already logged which certificates end soon.
    for (const { files } of this.#endingSoon()) this.#toldAt.set(files.cert, options.clock.now())
    options.facts.observe({ handlers: { config_replaced: () => this.#refresh() } })
    server.once('listening', () => {
      const polling = repeat(options.clock, pollEveryMs, () => this.#poll())
      server.once('close', polling.stop)
    })
  }

  /** Returns what the server shows a client that asks for this name; `undefined` for the certificate of all other names. */
  contextFor(name: string): SecureContext | undefined {
    return forServerName(this.#served.byName, name)
  }

  view(): CertificatesView {
    const certificates = this.#served.set.pairs.map(({ files, chain: [first], endsAt }) => ({
      file: files.cert,
      names: namesOf(first).slice(0, maxNames),
      ends_at: new Date(endsAt).toISOString(),
      fingerprint: first.fingerprint256.replaceAll(':', '').toLowerCase(),
    }))
    return { certificates, ...(this.#refused ? { certificates_refused: this.#refused } : {}) }
  }

  #poll(): void {
    const version = versionOf(this.#options.settings())
    const isNew = version !== this.#served.version && version === this.#seen
    this.#seen = version
    // Certificates that were refused may become valid without a change of their files, such as a certificate that begins tomorrow.
    if (isNew || this.#refused) this.#refresh()
    this.#tellEnds()
  }

  /** Shows the certificates in the files as they are now, unless these have errors that the certificates in use do not have. */
  #refresh(): void {
    const { settings, facts, clock } = this.#options
    const version = versionOf(settings())
    try {
      if (version !== this.#served.version) {
        this.#served = this.#install(settings(), version, this.#served.set)
        facts.emit({ kind: 'certificates_replaced', endsAt: Math.min(...this.#served.set.pairs.map(({ endsAt }) => endsAt)) })
      }
      this.#refused = undefined
    } catch (error) {
      const reason = messageOf(error)
      if (this.#refused?.reason === reason) return
      this.#refused = { at: new Date(clock.now()).toISOString(), reason }
      facts.emit({ kind: 'certificates_refused', reason })
    }
  }

  /** Gives the server the certificates of these files. Throws an error, and changes nothing, where they are not fit. */
  #install(settings: TlsSettings, version: string, before?: CertificateSet): Served {
    const { set, findings } = readCertificateSet(settings)
    if (!set) throw new Error(findings.map(({ message }) => message).join('; '))
    const worse = before && newErrors(set, before, this.#options.clock.now())
    if (worse) throw new Error(worse)
    const [main, ...others] = set.pairs.map((pair) => [pair, optionsFor(pair, set)] as const)
    if (!main) throw new Error('there is no certificate')
    const byName = new Map<string, SecureContext>()
    for (const [{ files }, options] of others) {
      if (files.name !== undefined && !byName.has(files.name)) byName.set(files.name, createSecureContext(options))
    }
    this.#server.setSecureContext(main[1])
    return { set, byName, version }
  }

  #endingSoon(): readonly CertificatePair[] {
    return this.#served.set.pairs.filter(({ endsAt }) => endsAt - this.#options.clock.now() <= endsSoonMs)
  }

  #tellEnds(): void {
    const now = this.#options.clock.now()
    const ending = this.#endingSoon()
    for (const file of this.#toldAt.keys()) if (!ending.some(({ files }) => files.cert === file)) this.#toldAt.delete(file)
    for (const { files, endsAt } of ending) {
      if (now - (this.#toldAt.get(files.cert) ?? Number.NEGATIVE_INFINITY) < dayMs) continue
      this.#toldAt.set(files.cert, now)
      this.#options.facts.emit({ kind: 'certificate_ends_soon', file: files.cert, endsAt })
    }
  }
}

const optionsFor = ({ certPem, keyPem }: CertificatePair, { clientCa }: CertificateSet): SecureContextOptions => ({
  cert: certPem,
  key: keyPem,
  minVersion: 'TLSv1.2',
  ...(clientCa === undefined ? {} : { ca: clientCa }),
})

/** Returns what is wrong with a set, leaving out what is also wrong with the set in use; `undefined` where nothing is left. */
const newErrors = (set: CertificateSet, before: CertificateSet, now: number): string | undefined => {
  const errorsOf = (judged: CertificateSet) => judgeCertificates(judged, now).filter(({ code }) => isErrorCode(code))
  const known = new Set(errorsOf(before).map(({ code, path }) => `${code} ${path.join('/')}`))
  const found = errorsOf(set).filter(({ code, path }) => !known.has(`${code} ${path.join('/')}`))
  return found.length > 0 ? found.map(({ message }) => message).join('; ') : undefined
}

/** Returns a text that changes with the settings and their files. Symbolic links are followed, because certbot replaces them. */
const versionOf = (settings: TlsSettings): string => JSON.stringify([settings, certificateFilesOf(settings).map(stampOf)])
