/** Checks the certificates that a configuration names: for `validate` and `doctor`, at the start, and at a reload. */

import { type Stats, statSync } from 'node:fs'
import { type Diagnostic, diagnostic, pointerOf } from '../../core/diagnostic.ts'
import { type Config, defaultProfile } from '../config.ts'
import {
  type CertificateFinding,
  type CertificateSet,
  covers,
  forServerName,
  judgeCertificates,
  readCertificateSet,
} from './certificate-set.ts'
import type { TlsSettings } from './read-tls.ts'

/** Returns the findings about the files of `tls`, each at the place that names the file. `now`: wall time, milliseconds. */
export const checkTls = ({ tls, profiles, adapter }: Pick<Config, 'tls' | 'profiles' | 'adapter'>, now: number): Diagnostic[] => {
  // A path that could not be resolved has been reported, or is not known where the environment is not.
  if (!tls || certificateFilesOf(tls).some((file) => file.includes('${'))) return []
  const { set, findings } = readCertificateSet(tls)
  const judged = set ? [...judgeCertificates(set, now), ...publicNameFindings(set, adapter)] : []
  const place = profiles.get(defaultProfile)?.place
  return [...findings, ...judged, ...repeatedNames(tls), ...openKeys(tls)].map(({ code, path, message, help }) => {
    const full = ['tls', ...path]
    return diagnostic(code, message, { help, pointer: pointerOf(full), ...(place ? { place: place(full) } : {}) })
  })
}

export const certificateFilesOf = ({ pairs, clientCa }: TlsSettings): string[] => [
  ...pairs.flatMap(({ cert, key }) => [cert, key]),
  ...(clientCa === undefined ? [] : [clientCa]),
]

/** Finds that the host of `public_url`, which senders ask for, is not covered. Behind a proxy senders see the certificate of the proxy. */
const publicNameFindings = (set: CertificateSet, { public_url: url, trust_proxy: trusted }: Config['adapter']): CertificateFinding[] => {
  if (url === undefined || trusted !== false || !URL.canParse(url)) return []
  const { protocol, hostname } = new URL(url)
  const byName = new Map(set.pairs.flatMap((pair) => (pair.files.name === undefined ? [] : [[pair.files.name, pair] as const])))
  const pair = forServerName(byName, hostname) ?? set.pairs[0]
  if (protocol !== 'https:' || !pair || covers(pair.chain[0], hostname)) return []
  const message = `${pair.files.cert}: it does not cover ${hostname}, the host of public_url`
  return [{ code: 'WH327', path: [...pair.files.path, 'cert'], message, help: 'name a certificate of this host under tls.names' }]
}

const repeatedNames = ({ pairs }: TlsSettings): CertificateFinding[] =>
  pairs.flatMap(({ name, path }, i) => {
    if (name === undefined || pairs.findIndex((each) => each.name === name) === i) return []
    return [
      { code: 'WH210', path: [...path, 'name'], message: `${name} stands twice: the first one counts`, help: 'remove one of the two' },
    ]
  })

/** Returns the state of a file; `undefined` where it does not exist, or its state cannot be read. */
const stateOf = (file: string): Stats | undefined => {
  try {
    return statSync(file)
  } catch {
    return undefined
  }
}

/** Finds keys that others on this machine may read or replace. A group may read a key, as that of ssl-cert or of a mounted secret does. */
const openKeys = ({ pairs }: TlsSettings): CertificateFinding[] =>
  pairs.flatMap(({ key, path }) => {
    const stat = process.platform === 'win32' ? undefined : stateOf(key)
    if (!stat) return []
    const isStrange = stat.uid !== 0 && stat.uid !== process.getuid?.()
    const at = { code: 'WH804', path: [...path, 'key'] } as const
    if ((stat.mode & 0o027) !== 0) return [{ ...at, message: `others may read or write the key ${key}`, help: `chmod 600 ${key}` }]
    return isStrange
      ? [{ ...at, message: `the key ${key} belongs to another user`, help: 'let root or the user of the gateway own it' }]
      : []
  })
