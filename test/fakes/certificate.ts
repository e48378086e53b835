/** Makes certificates of senders, of authorities and of gateways that a test plays, with the openssl of the machine. */

import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A new RSA key and a certificate for it that `name` signed itself: both in PEM. It is valid for so many days from the second in which it
 * is made.
 */
export const certificateOf = (name: string, days = 3_650): { readonly key: string; readonly pem: string } => {
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', String(days), '-subj', `/CN=${name}`, '-keyout', '-', '-out', '-']
  const text = execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const part = (label: string): string => new RegExp(`-----BEGIN ${label}-----[^]*?-----END ${label}-----\n`).exec(text)?.[0] ?? ''
  return { key: part('PRIVATE KEY'), pem: part('CERTIFICATE') }
}

export type Issued = { readonly key: string; readonly pem: string; readonly fingerprint: string }

/**
 * `san`: the alternative names as openssl takes them, such as `DNS:a.example,URI:urn:b`. `days`: how long the certificate is valid; with
 * -1, it ended yesterday.
 */
type Wanted = { readonly san?: string; readonly cn?: string; readonly days?: number }

export type Authority = { readonly pem: string; readonly issue: (wanted: Wanted) => Issued }

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** Makes an authority that signs certificates (ECDSA, P-256). */
export const createAuthority = (name: string): Authority => {
  const made = ['req', '-x509', ...newKey, '-days', '3650', '-subj', `/CN=${name}`, '-keyout', 'ca.key', '-out', 'ca.pem']
  const { 'ca.key': caKey = '', 'ca.pem': pem = '' } = filesOf({}, made)
  return {
    pem,
    issue({ san, cn = 'a server', days = 90 }) {
      const ext = `basicConstraints=critical,CA:FALSE\n${san === undefined ? '' : `subjectAltName=${san}\n`}`
      const request = ['req', '-new', ...newKey, '-subj', `/CN=${cn}`, '-keyout', 'key', '-out', 'csr']
      const signing = ['x509', '-req', '-in', 'csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'ext']
      const signed = [...signing, '-days', String(days), '-out', 'pem']
      const { key = '', pem: issued = '' } = filesOf({ 'ca.key': caKey, 'ca.pem': pem, ext }, request, signed)
      return { key, pem: issued, fingerprint: new X509Certificate(issued).fingerprint256.replaceAll(':', '').toLowerCase() }
    },
  }
}

/** Writes the files into a new folder, calls openssl there, and returns all files of the folder. */
const filesOf = (files: { readonly [name: string]: string }, ...calls: readonly (readonly string[])[]): { [name: string]: string } => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-ca-'))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    for (const args of calls) execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
    return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
