/** Turns the address lists in a trigger rule of adnanh/webhook (`ip-whitelist`) into the `allow_from` of a route. */

import { isIP } from 'node:net'
import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json } from '../../core/json.ts'
import { ruleKindOf } from './adnanh-rule.ts'
import type { ReportLeftOut } from './imported.ts'

const addressList = 'ip-whitelist'

/** The networks of one rule, and the path of the rule in its hook. */
export type Networks = { readonly list: readonly string[]; readonly path: Path }

/**
 * Returns the networks of a rule that compares only the client's address; `undefined` for any other rule, and for a rule with a malformed
 * network.
 */
export const networksOf = (rule: Json, path: Path): Networks | undefined => {
  const ruleKind = ruleKindOf(rule)
  if (ruleKind?.kind === 'or' && Array.isArray(ruleKind.inner) && ruleKind.inner.length > 0) {
    const lists = ruleKind.inner.map((each, i) => networksOf(each, [...path, 'or', i]))
    return lists.every((each) => each !== undefined) ? { list: lists.flatMap(({ list }) => list), path: [...path, 'or'] } : undefined
  }
  if (ruleKind?.kind !== 'match' || !isObject(ruleKind.inner) || ruleKind.inner.type !== addressList) return undefined
  // All networks of a rule are in one text, with blanks between them.
  const list = String(ruleKind.inner['ip-range'] ?? '')
    .split(/\s+/)
    .filter(Boolean)
  return list.length > 0 && list.every(isNetwork) ? { list, path: [...path, 'match'] } : undefined
}

const isNetwork = (text: string): boolean => {
  const [address = '', length, ...rest] = text.split('/')
  const version = isIP(address)
  const bits = version === 6 ? 128 : 32
  return version !== 0 && rest.length === 0 && (length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits))
}

/**
 * Returns the `allow_from` of the route; no key without networks. A route has one list. So of several lists that must all hold, only the
 * first is carried over, and the others are reported.
 */
export const allowFromKey = (lists: readonly Networks[], report: ReportLeftOut): { readonly allow_from?: string[] } => {
  const [first, ...others] = lists
  if (!first) return {}
  for (const { path } of others)
    report(
      path,
      'a route has one list of addresses, and the hook several that must all hold',
      'put what they have in common into "allow_from"',
      true,
    )
  return { allow_from: [...new Set(first.list)] }
}
