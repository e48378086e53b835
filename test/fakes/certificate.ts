/** A certificate of a sender that a test plays. */

import { execFileSync } from 'node:child_process'

/** A new RSA key and a certificate for it that `name` signed itself: both in PEM. It is valid for so many days from the second in which it is made. */
export const certificateOf = (name: string, days = 3_650): { readonly key: string; readonly pem: string } => {
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', String(days), '-subj', `/CN=${name}`, '-keyout', '-', '-out', '-']
  const text = execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const part = (label: string): string => new RegExp(`-----BEGIN ${label}-----[^]*?-----END ${label}-----\n`).exec(text)?.[0] ?? ''
  return { key: part('PRIVATE KEY'), pem: part('CERTIFICATE') }
}
