/** Turns the signature checks in a trigger rule of adnanh/webhook into the schemes and secrets of a route. */

import type { Path } from '../../core/diagnostic.ts'
import { equalJson, isObject, type Json, own } from '../../core/json.ts'
import { namesRequestSecret } from '../../core/secret-names.ts'
import type { SignatureScheme } from '../../generated/config.ts'
import { v1 } from '../../parts/schemes/generic.ts'
import { github } from '../../parts/schemes/github.ts'
import { gitlab } from '../../parts/schemes/gitlab.ts'
import { linear } from '../../parts/schemes/linear.ts'
import { ruleKindOf } from './adnanh-rule.ts'
import type { ReportLeftOut } from './imported.ts'

/**
 * A check of a signature or token in a hook, with its path in the hook. `scheme`: the headgate scheme that makes the same check, as its
 * name or as a description; absent where no scheme can.
 */
export type Signature = {
  readonly scheme?: string | SignatureScheme
  readonly secret: string
  readonly path: Path
  /**
   * Present where the hook only compares the value of a token. In adnanh/webhook, a wrong token makes its rule false, but a wrong signature
   * ends the rule with an error.
   */
  readonly isValue?: true
}

/** The schemes and the secrets that a route gets. */
export type RouteSignatureKeys = { readonly verify: readonly (string | SignatureScheme)[]; readonly secrets: readonly string[] }

const hubNote =
  'the hook takes X-Hub-Signature (SHA-1), headgate X-Hub-Signature-256, which GitHub and Gitea send beside it with the same secret'
const giteaNote = 'headgate reads the X-Hub-Signature-256 that Gitea sends beside X-Gitea-Signature, with the same secret'

type KnownSignature = { readonly scheme: string; readonly instead?: string }

/**
 * The checks that a headgate scheme makes, by hash (`value` for a plain token) and header. `instead`: a sentence for the user, where the
 * scheme reads another header that the sender sends as well.
 */
const knownSignatures: { readonly [check: string]: KnownSignature } = {
  'sha256 x-hub-signature-256': { scheme: github.name },
  'sha256 x-gitea-signature': { scheme: github.name, instead: giteaNote },
  'sha1 x-hub-signature': { scheme: github.name, instead: hubNote },
  'sha256 x-webhook-signature': { scheme: v1.name },
  'sha256 linear-signature': { scheme: linear.name },
  'value x-gitlab-token': { scheme: gitlab.name },
}

/**
 * Returns the check of a signature or token that a rule makes; `undefined` for a rule that makes none. A check that no headgate scheme can
 * make is reported.
 */
const signatureOf = (rule: Json, path: Path, report: ReportLeftOut): Signature | undefined => {
  const ruleKind = ruleKindOf(rule)
  if (ruleKind?.kind !== 'match' || !isObject(ruleKind.inner)) return undefined
  const at = [...path, 'match']
  const { type, parameter, value, secret = '' } = ruleKind.inner
  const { source, name } = isObject(parameter) ? parameter : {}
  const found = { secret: String(secret ?? ''), path: at }
  if (type === 'scalr-signature') return { ...reportUnread(at, 'its signature covers a header', report), ...found }
  const hash = /^payload-(?:hmac|hash)-(sha\d+)$/.exec(String(type))?.[1]
  const check = own(knownSignatures, `${hash ?? type} ${source === 'header' ? String(name).toLowerCase() : ''}`)
  if (hash !== undefined) return { ...schemeOfHmac(hash, parameter ?? null, check, at, report), ...found }
  if (type !== 'value') return undefined
  const token = check ? { scheme: check.scheme, secret: String(value ?? '') } : tokenScheme(String(source), String(name), value)
  return token && { ...token, path: at, isValue: true }
}

/** Returns the scheme for an HMAC. Where no headgate scheme can check the HMAC, reports it and returns no scheme. */
const schemeOfHmac = (
  hash: string,
  parameter: Json,
  check: KnownSignature | undefined,
  path: Path,
  report: ReportLeftOut,
): Pick<Signature, 'scheme'> => {
  const { source, name, 'headers-to-add-to-signature-payload': covered } = isObject(parameter) ? parameter : {}
  if (Array.isArray(covered)) return reportUnread(path, 'the signature covers headers', report)
  if (check?.instead !== undefined)
    report(path, check.instead, 'nothing with these senders; another one must send X-Hub-Signature-256 or another scheme of headgate')
  const scheme = check?.scheme ?? (source === 'header' ? hmacScheme(hash, String(name)) : undefined)
  return scheme === undefined ? reportUnread(path, `nothing reads ${hash} in ${String(name)}`, report) : { scheme }
}

/**
 * Describes a scheme for an HMAC in a header. In headers named `X-Hub-Signature…` (as in WebSub) the HMAC has the prefix `sha256=` or the
 * like; in other headers it has none.
 */
const hmacScheme = (hash: string, name: string): SignatureScheme | undefined => {
  const algorithm = ({ sha1: 'hmac_sha1', sha256: 'hmac_sha256', sha512: 'hmac_sha512' } as const)[hash]
  if (algorithm === undefined) return undefined
  return { algorithm, signature: { header: name, ...(/^x-hub-signature/i.test(name) ? { prefix: `${hash}=` } : {}) } }
}

/**
 * Describes a scheme for a secret token in a header or in the query of the address, and returns it with the secret. `undefined` where the
 * name of the header or parameter is not that of a secret.
 */
const tokenScheme = (source: string, name: string, value: Json | undefined): Pick<Signature, 'scheme' | 'secret'> | undefined => {
  if (typeof value !== 'string' || !namesRequestSecret(name)) return undefined
  if (source === 'url' || source === 'query') return { scheme: { algorithm: 'token', signature: { query: name } }, secret: value }
  if (source !== 'header') return undefined
  const [, prefix, secret = value] = /^(Bearer |Token |token )(.+)$/.exec(value) ?? []
  return { scheme: { algorithm: 'token', signature: { header: name, ...(prefix === undefined ? {} : { prefix }) } }, secret }
}

const reportUnread = (path: Path, why: string, report: ReportLeftOut): Pick<Signature, 'scheme'> => {
  report(
    path,
    `${why}: no scheme of headgate is like it, and its posts get 401`,
    'let the sender sign in one of the ways of headgate, with the same secret, or a proxy',
  )
  return {}
}

/**
 * Returns the checks of signatures that a rule makes, of which one must hold: several for an `or` of such checks. `undefined` for any other
 * rule.
 */
export const signaturesOf = (rule: Json, path: Path, report: ReportLeftOut): readonly Signature[] | undefined => {
  const found = ruleKindOf(rule)
  const match = found?.kind === 'match' && isObject(found.inner) ? found.inner : {}
  if (match.type === 'value' && Array.isArray(match.value)) {
    const each = match.value.map((value) => signatureOf({ match: { ...match, value } }, path, report))
    return each.length > 0 && each.every((one) => one !== undefined) ? each : undefined
  }
  if (found?.kind !== 'or' || !Array.isArray(found.inner) || found.inner.length === 0) {
    const one = signatureOf(rule, path, report)
    return one && [one]
  }
  const quiet: ReportLeftOut = () => undefined
  if (!found.inner.every((each) => signatureOf(each, path, quiet))) return undefined
  return found.inner.flatMap((each, i) => signatureOf(each, [...path, 'or', i], report) ?? [])
}

const notBoth = 'headgate would take each secret with each scheme, so only the first signature is carried over'
const neverTried =
  'a first signature that does not hold ends the rule there, so the hook never took this one (trigger-signature-soft-failures is not set)'

/**
 * Returns the schemes and secrets of a route for signatures of which one must hold. Signatures that cannot be in one route with the first
 * are left out and reported. `softFailures`: the hook tries further signatures after one that does not hold.
 */
export const signatureKeysOf = (signatures: readonly Signature[], softFailures: boolean, report: ReportLeftOut): RouteSignatureKeys => {
  const usable = signatures.filter(({ scheme, secret }) => scheme !== undefined && secret !== '')
  const [first] = usable
  if (!first) return { verify: [], secrets: signatures.slice(0, 1).flatMap(({ secret }) => (secret === '' ? [] : [secret])) }
  const taken = [first]
  for (const each of usable.slice(1)) {
    const sameSecret = taken.every(({ secret }) => secret === each.secret)
    const sameScheme = taken.every(({ scheme }) => equalJson(scheme as Json, each.scheme as Json))
    // Where `verify` is a list, it can have names of schemes, but no descriptions.
    const fit = sameScheme || [first, each].every(({ scheme }) => typeof scheme === 'string')
    if (fit && (sameSecret || (sameScheme && (softFailures || [...taken, each].every(({ isValue }) => isValue))))) taken.push(each)
    else
      report(
        each.path,
        sameScheme ? neverTried : notBoth,
        sameScheme ? 'add the secret to "secrets" of the route if it shall count' : 'make a second route for that sender',
      )
  }
  const schemes = taken.map(({ scheme }) => scheme as string | SignatureScheme)
  return {
    verify: typeof first.scheme === 'string' ? [...new Set(schemes)] : [schemes[0] as SignatureScheme],
    secrets: [...new Set(taken.map(({ secret }) => secret))],
  }
}
