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
 * A signature check of a hook, with its path in the hook. `scheme`: the scheme of headgate that reads such a signature, by its name, or a
 * description of one; absent where none does.
 */
export type Signature = {
  readonly scheme?: string | SignatureScheme
  readonly secret: string
  readonly path: Path
  /** It compares a value. One that differs does not end the rule, as a signature that does not hold does. */
  readonly isValue?: true
}

/** The schemes and the secrets that a route gets. */
export type RouteSignatureKeys = { readonly verify: readonly (string | SignatureScheme)[]; readonly secrets: readonly string[] }

const hubNote =
  'the hook takes X-Hub-Signature (SHA-1), headgate X-Hub-Signature-256, which GitHub and Gitea send beside it with the same secret'
const giteaNote = 'headgate reads the X-Hub-Signature-256 that Gitea sends beside X-Gitea-Signature, with the same secret'

type KnownSignature = { readonly scheme: string; readonly instead?: string }

/**
 * The signatures that a scheme of headgate reads, by hash (`value` for a plain token) and header. `instead`: says that the scheme reads
 * another header, which the sender sends as well.
 */
const knownSignatures: { readonly [check: string]: KnownSignature } = {
  'sha256 x-hub-signature-256': { scheme: github.name },
  'sha256 x-gitea-signature': { scheme: github.name, instead: giteaNote },
  'sha1 x-hub-signature': { scheme: github.name, instead: hubNote },
  'sha256 x-webhook-signature': { scheme: v1.name },
  'sha256 linear-signature': { scheme: linear.name },
  'value x-gitlab-token': { scheme: gitlab.name },
}

/** Returns the signature that a rule checks; `undefined` for a rule that checks none. A signature that no scheme reads is reported. */
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

/** Returns the scheme of a HMAC. One that no scheme is like is reported. */
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

/** Describes the scheme of a HMAC in any header: with a prefix in those named after WebSub's, else bare, as senders have it. */
const hmacScheme = (hash: string, name: string): SignatureScheme | undefined => {
  const algorithm = ({ sha1: 'hmac_sha1', sha256: 'hmac_sha256', sha512: 'hmac_sha512' } as const)[hash]
  if (algorithm === undefined) return undefined
  return { algorithm, signature: { header: name, ...(/^x-hub-signature/i.test(name) ? { prefix: `${hash}=` } : {}) } }
}

/** Describes the scheme of a secret that a header or the address has, with the secret; `undefined` where the name is not that of one. */
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

/** Returns the signatures that a rule checks, of which one must hold: several for an `or` of signatures. `undefined` for any other rule. */
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
    // A list under "verify" has names only.
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
