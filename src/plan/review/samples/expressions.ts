/**
 * Reviews the expressions of a route by samples that the user chose: paths that no sample has (WH409 in conditions, WH501 in texts), and
 * expressions without a value on every sample (WH345, WH346).
 */

import type { Path } from '../../../core/diagnostic.ts'
import { isObject, type Json, own } from '../../../core/json.ts'
import { printable } from '../../../core/text.ts'
import { readJsonata } from '../../../expr/jsonata/jsonata.ts'
import type { ReadPath } from '../../../expr/jsonata/roots.ts'
import { partsOf, pathOfParts } from '../../../expr/path-parts.ts'
import { hasFallback } from '../../../expr/template.ts'
import { type ConditionExpression, expressionsOf } from '../filters/fields.ts'
import { coversEvents, type ExpressionResult, inNoneOf, reaches, type Sampled, type TakenSample, withNames } from '../sampled.ts'
import { fixOf, type Subject } from '../subject.ts'
import { type NearPaths, nearPathHelp, nearPaths } from './near-paths.ts'

/** An expression of the route. */
type ExpressionAt = {
  readonly path: Path
  /** The text at `path`, and the offset in it where the expression begins. */
  readonly text: string
  readonly at: number
  readonly source: string
  /** The expression as people know it: `{= … }`, or its source. */
  readonly written: string
  /** The code for a path that no sample has. */
  readonly code: 'WH409' | 'WH501'
  /** The samples on which it was evaluated, and its results there. */
  readonly taken: readonly TakenSample[]
  readonly results: readonly ExpressionResult[]
  /** Whether these samples show all that matters: one of each event type, and one that gets as far as the expression. */
  readonly isSure: boolean
  /** The events that it reads. */
  readonly of: 'event' | 'textEvent'
}

export const reviewConditionExpressions = (sampled: Sampled, subject: Subject): void => {
  for (const { source, path } of expressionsOf(subject.spec.filters)) {
    const { taken } = sampled
    const results = taken.flatMap(({ results }) => results?.get(source) ?? [])
    checkKind({ source, path }, { taken, results }, subject)
    reviewExpression(
      {
        path,
        text: source,
        at: 0,
        source,
        written: source,
        code: 'WH409',
        taken,
        results,
        isSure: coversEvents(sampled, subject.spec) && taken.some((each) => reaches(each, path.slice(0, -1))),
        of: 'event',
      },
      sampled,
      subject,
    )
  }
}

/** Reviews the route's transform, where no script stands before it. It reads the names that expressions in texts read. */
export const reviewTransform = (sampled: Sampled, subject: Subject): void => {
  const { transform: source } = subject.spec
  if (source === undefined) return
  const taken = sampled.taken.filter(({ passes, transformed }) => passes && transformed !== undefined)
  const results = taken.flatMap(({ transformed }) => transformed ?? [])
  const isSure = coversEvents(sampled, subject.spec)
  reviewExpression(
    { path: ['transform'], text: source, at: 0, source, written: source, code: 'WH501', taken, results, isSure, of: 'event' },
    sampled,
    subject,
  )
}

/**
 * Reports a condition that gives no true or false on any sample that it has a value on: it never holds, and a `not` around it always does.
 */
const checkKind = (
  { source, path }: ConditionExpression,
  { taken, results }: Pick<ExpressionAt, 'taken' | 'results'>,
  { say }: Subject,
): void => {
  const having = taken.filter((_, i) => results[i]?.kind !== undefined)
  const kinds = [...new Set(results.flatMap(({ kind }) => (kind === undefined || kind === 'null' ? [] : kind)))]
  if (kinds.length === 0 || kinds.includes('true or false')) return
  say('WH348', path, `"${printable(source, 80)}" is ${kinds.join(' or ')} ${withNames(having)}, and a condition holds where it is true`, {
    help: kinds.includes('a list')
      ? 'ask whether there is one: $count(…) > 0, or "…" in …'
      : 'compare it (… = "…"), or ask whether it is there: $exists(…)',
  })
}

/** Reviews an expression on the samples that it was evaluated on. A path that none has explains why there is no value. */
export const reviewExpression = (expression: ExpressionAt, sampled: Sampled, subject: Subject): void => {
  const { source, taken, results, isSure } = expression
  const reads = taken.length === 0 || results.length === 0 ? undefined : readJsonata(source)
  if (!reads) return
  const isEmpty = results.every(({ missing }) => missing)
  let isExplained = false
  for (const path of reads.paths) {
    if (path.keys[0] === 'headers') checkHeader(path, expression, sampled, subject)
    const keys = payloadKeys(path, expression)
    if (keys === undefined || taken.some((each) => mayHave(each[expression.of]?.payload, keys))) continue
    // In an expression, a name leads through all items of a list.
    const known = [...new Set(sampled.paths(expression.of).map((each) => each.replace(/\.\d+(?=\.|$)/g, '')))]
    const near = nearPaths(pathOfParts(keys), known)
    if (near.slips.length === 0 && !(isSure && (isEmpty || !reads.isGuarded))) continue
    sayMissing(expression, path, near, subject)
    isExplained = true
  }
  if (isEmpty && isSure && !isExplained) sayEmpty(expression, reads.isSelective, subject)
}

/** Reports a header whose name differs by a slip from one that samples have. Other headers may come from proxies on the way. */
const checkHeader = ({ keys, ...path }: ReadPath, expression: ExpressionAt, { taken }: Sampled, subject: Subject): void => {
  const [, name] = keys
  const known = [...new Set(taken.flatMap(({ event }) => Object.keys(event.headers)))]
  const isOwn = taken.some((each) => mayHave(each[expression.of]?.payload, ['headers']))
  if (name === undefined || known.includes(name) || (isOwn && expression.code === 'WH501')) return
  const near = nearPaths(name, known)
  if (near.slips.length === 0) return
  const under = (names: readonly string[]): string[] => names.map((each) => `headers.${each}`)
  const asHeaders = { slips: under(near.slips), all: under(near.all), ...(near.same === undefined ? {} : { same: `headers.${near.same}` }) }
  sayMissing(expression, { keys: keys.slice(0, 2), ...path }, asHeaders, subject)
}

/** Returns the keys of a path from the top of the payload; `undefined` for a path that reads something else. */
const payloadKeys = ({ keys }: ReadPath, { code, taken, of }: ExpressionAt): readonly string[] | undefined => {
  const [first = '', ...below] = keys
  const isOwn = code === 'WH501' && taken.some((each) => mayHave(each[of]?.payload, [first]))
  if (first === 'payload' && !isOwn) return below.length > 0 ? below : undefined
  return code === 'WH501' && (isOwn || !otherNames.has(first)) && !hasFallback(first) ? keys : undefined
}

/** Names at the top of an expression of a text that are not the payload's own. */
const otherNames: ReadonlySet<string> = new Set(['event', 'headers', 'request', 'batch', 'lookup'])

/** Whether a payload has a path, through all items of lists. Where it has `null` or an empty list on the way, another event may. */
const mayHave = (value: Json | undefined, [key, ...further]: readonly string[]): boolean => {
  if (value === undefined || key === undefined) return value !== undefined
  if (value === null || (Array.isArray(value) && value.length === 0)) return true
  if (Array.isArray(value)) return value.some((item) => mayHave(item, [key, ...further]))
  return isObject(value) && mayHave(own(value, key), further)
}

const sayMissing = (expression: ExpressionAt, path: ReadPath, near: NearPaths, subject: Subject): void => {
  const whole = subject.placeOf(expression.path)
  const place = subject.texts.inside(whole, expression.text, { text: path.text, at: expression.at + path.at })
  const above = path.keys[0] === 'payload' ? ['payload'] : []
  const asWritten = (dotted: string): string =>
    [...above, ...partsOf(dotted)].map((key) => (/^[A-Za-z_]\w*$/.test(key) ? key : `\`${key}\``)).join('.')
  const all = near.all.map(asWritten)
  const same = near.same === undefined ? undefined : asWritten(near.same)
  const isPlain = path.text.replaceAll('`', '') === path.keys.join('.')
  subject.say(expression.code, expression.path, `"${printable(path.text, 80)}" is ${inNoneOf(expression.taken)}`, {
    help: nearPathHelp({ ...near, all }),
    suggest: all,
    place: place ?? whole,
    ...(place && same !== undefined && isPlain ? { fix: fixOf(`write ${same}`, false, { place, text: same }) } : {}),
  })
}

const sayEmpty = (expression: ExpressionAt, isSelective: boolean, subject: Subject): void => {
  const { path, text, at, source, written, taken, results } = expression
  const whole = subject.placeOf(path)
  const failed = results.every((each) => each.failed !== undefined) ? results[0]?.failed : undefined
  const shown = `"${printable(written, 80)}"`
  subject.say(
    failed === undefined && isSelective ? 'WH346' : 'WH345',
    path,
    failed === undefined ? `${shown} has no value ${withNames(taken)}` : `${shown} fails ${withNames(taken)}: ${printable(failed, 300)}`,
    {
      help: 'headgate samples show <name> shows what a payload has; where an event gives a value, add it: headgate samples add',
      place: subject.texts.inside(whole, text, { text: source, at }) ?? whole,
    },
  )
}
