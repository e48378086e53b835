/** Turns the signature checks in a trigger rule of adnanh/webhook into the schemes and secrets of a route. */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json, own } from '../../core/json.ts'
import { v1 } from '../../parts/schemes/generic.ts'
import { github } from '../../parts/schemes/github.ts'
import { gitlab } from '../../parts/schemes/gitlab.ts'
import { linear } from '../../parts/schemes/linear.ts'
import { ruleKindOf } from './adnanh-rule.ts'
import type { ReportLeftOut } from './imported.ts'

/**
 * A signature check of a hook, with its path in the hook. `scheme`: the scheme of headgate that reads such a signature; absent where none
 * does.
 */
export type Signature = { readonly scheme?: string; readonly secret: string; readonly path: Path }

/** The schemes and the secrets that a route gets. */
export type RouteSignatureKeys = { readonly verify: readonly string[]; readonly secrets: readonly string[] }

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
  const { type, parameter, value, secret } = ruleKind.inner
  const at = [...path, 'match']
  if (type === 'scalr-signature') return { ...reportUnread(at, 'its signature covers a header', report), secret: String(secret ?? '') }
  const hash = /^payload-(?:hmac|hash)-(sha\d+)$/.exec(String(type))?.[1]
  const { source, name } = isObject(parameter) ? parameter : {}
  const header = source === 'header' ? String(name).toLowerCase() : ''
  const check = own(knownSignatures, `${hash ?? type} ${header}`)
  if (hash === undefined) return type === 'value' && check ? { scheme: check.scheme, secret: String(value ?? ''), path: at } : undefined
  const covered = isObject(parameter) && Array.isArray(parameter['headers-to-add-to-signature-payload'])
  if (!check || covered)
    return {
      ...reportUnread(at, covered ? 'the signature covers headers' : `nothing reads ${hash} in ${String(name)}`, report),
      secret: String(secret ?? ''),
    }
  if (check.instead !== undefined)
    report(at, check.instead, 'nothing with these senders; another one must send X-Hub-Signature-256 or another scheme of headgate')
  return { scheme: check.scheme, secret: String(secret ?? ''), path: at }
}

const reportUnread = (path: Path, why: string, report: ReportLeftOut): Pick<Signature, 'path'> => {
  report(
    path,
    `${why}: no scheme of headgate is like it, and its posts get 401`,
    'let the sender sign in one of the ways of headgate, with the same secret, or a proxy',
  )
  return { path }
}

/** Returns the signatures that a rule checks, of which one must hold: several for an `or` of signatures. `undefined` for any other rule. */
export const signaturesOf = (rule: Json, path: Path, report: ReportLeftOut): readonly Signature[] | undefined => {
  const found = ruleKindOf(rule)
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
    const sameScheme = taken.every(({ scheme }) => scheme === each.scheme)
    if (sameSecret || (sameScheme && softFailures)) taken.push(each)
    else
      report(
        each.path,
        sameScheme ? neverTried : notBoth,
        sameScheme ? 'add the secret to "secrets" of the route if it shall count' : 'make a second route for that sender',
      )
  }
  return { verify: [...new Set(taken.map(({ scheme }) => String(scheme)))], secrets: [...new Set(taken.map(({ secret }) => secret))] }
}
