/**
 * The gate `client` admits only the clients that the route lists: by their networks or addresses (`allow_from`), by a certificate that the
 * gateway or a trusted proxy has checked (`client_certificate`), or by both. It admits every client where the route has neither key, and
 * `tls` requires no certificate.
 */

import { BlockList } from 'node:net'
import { header } from '../../core/headers.ts'
import { addNetwork, isInNetworks } from '../../core/network.ts'
import { type Refused, refuse } from '../../core/outcome.ts'
import type { RequestHead } from '../../core/request.ts'
import type { Route } from '../../generated/config.ts'
import { isSameSecret } from '../../secrets/same-secret.ts'
import type { StageKit, StagePart } from './stage.ts'

export const client: StagePart = {
  name: 'client',
  compile(route, kit) {
    const checks = [compileNetworks(route, kit), compileCertificate(route, kit)].filter((check) => check !== undefined)
    if (checks.length === 0) return {}
    return {
      onHead(head): Refused | undefined {
        for (const check of checks) {
          const detail = check(head)
          if (detail !== undefined) return refuse('forbidden', { detail })
        }
        return undefined
      },
    }
  },
}

/** Returns the reason why the client of a request is not admitted; `undefined` for a client that is. */
type WhyNotAdmitted = (head: RequestHead) => string | undefined

/** Compiles the check of the client's address against `allow_from`; `undefined` where the route has no such list. */
const compileNetworks = ({ allow_from }: Route, { report }: StageKit): WhyNotAdmitted | undefined => {
  if (allow_from === undefined) return undefined
  const networks = new BlockList()
  for (const [i, text] of allow_from.entries())
    if (!addNetwork(networks, text))
      report('WH316', ['allow_from', i], `"${text}" is no network and no address`, 'write 192.0.2.0/24, 2001:db8::/32 or 192.0.2.7')
  return ({ remote }) => {
    const address = remote()
    return isInNetworks(networks, address) ? undefined : `${address} is not in allow_from`
  }
}

/**
 * Compiles the check of the client's certificate (`client_certificate`); `undefined` where neither the route nor `tls` asks for one. What
 * the handshake of this connection showed decides `fingerprint` and `name`. The header of a proxy counts only from a proxy that
 * `trust_proxy` lists by its address, because any other client could forge the header.
 */
const compileCertificate = ({ client_certificate: wanted }: Route, kit: StageKit): WhyNotAdmitted | undefined => {
  const asksAll: WhyNotAdmitted | undefined =
    kit.clientCertificates === 'required'
      ? ({ certificate }) => (certificate?.() ? undefined : 'the client showed no certificate that tls.client_ca signed')
      : undefined
  if (!wanted) return asksAll
  const { header, equals, fingerprint, name } = wanted
  const own = fingerprint === undefined && name === undefined ? undefined : compileOwn(wanted, kit)
  const proxied = own && header === undefined && equals === undefined ? undefined : compileProxied(wanted, kit)
  return (head) => {
    const lacks = asksAll?.(head)
    if (lacks !== undefined) return lacks
    const whyNot = own?.(head)
    // A proxy in front of the gateway may show a certificate of its own: then its header names the client's.
    return proxied && (!own || whyNot !== undefined) ? proxied(head) : whyNot
  }
}

type Wanted = NonNullable<Route['client_certificate']>

/** Compiles the check of the certificate that the client showed this gateway. */
const compileOwn = ({ fingerprint = [], name = [] }: Wanted, { report, clientCertificates }: StageKit): WhyNotAdmitted => {
  if (clientCertificates === undefined) {
    const help = 'set tls.client_ca, or take header and equals of a proxy that checks certificates'
    report('WH317', ['client_certificate'], 'the gateway asks no client for a certificate', help)
  }
  const fingerprints = new Set([fingerprint].flat().map((text) => text.replaceAll(':', '').toLowerCase()))
  const names = new Set([name].flat())
  return ({ certificate }) => {
    const shown = certificate?.()
    if (!shown) return 'the client showed no certificate that tls.client_ca signed'
    return fingerprints.has(shown.fingerprint) || shown.names.some((each) => names.has(each))
      ? undefined
      : 'the certificate of the client is none of client_certificate'
  }
}

/** Compiles the check of the header in which a proxy names the certificate of its client. */
const compileProxied = ({ header: name, equals }: Wanted, { report, adapter: { trust_proxy: trustProxy } }: StageKit): WhyNotAdmitted => {
  if (name === undefined || equals === undefined) {
    const help = 'add fingerprint or name of the certificate, or header and equals of a proxy that checks certificates'
    report('WH104', ['client_certificate'], 'client_certificate names no certificate', help)
    return () => 'client_certificate names no certificate'
  }
  if (!Array.isArray(trustProxy) || trustProxy.length === 0)
    report(
      'WH317',
      ['client_certificate'],
      'anybody could send this header',
      'list the address of the proxy that checks certificates in trust_proxy',
    )
  const wanted = [equals].flat().map((text) => Buffer.from(text))
  const headerName = name.toLowerCase()
  return ({ headers, isProxied }) => {
    if (!isProxied()) return 'a client certificate is asked for, and the request came from no trusted proxy'
    const sent = Buffer.from(header(headers, headerName) ?? '', 'latin1')
    return wanted.some((each) => isSameSecret(sent, each)) ? undefined : `${headerName} is none of client_certificate`
  }
}
