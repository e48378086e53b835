/**
 * The gate `deliver_if` keeps with an event what its run needs to judge the condition once more when the reply is there: the values of the
 * questions, and the fields of the payload that the condition reads (rules: Lookups 6). It stands after the gates that change the payload.
 */

import { type ExactJson, isObject, type Json, own, put } from '../../core/json.ts'

import { type Outcome, refuse } from '../../core/outcome.ts'
import type { DeliveryVerdict, MaybePromise, MayDeliver } from '../../core/plan.ts'
import type { DeliveryFacts, Event } from '../../core/request.ts'
import { withDigits } from '../../core/written-digits.ts'
import { changedFilesField } from '../../expr/changed-files.ts'
import { compileConditions } from '../../expr/condition.ts'
import { compileField, pathInBatch, pathInLookup } from '../../expr/path.ts'
import { partsOf } from '../../expr/path-parts.ts'
import { renderJson } from '../../expr/render.ts'
import { compileRequestField } from '../../expr/request-field.ts'
import { lookupReads } from '../lookup-reads.ts'
import type { StageReport } from '../report.ts'
import { compileLookups } from '../route-lookups.ts'
import type { StageKit, StagePart } from './stage.ts'

/** The most UTF-16 units of what a run keeps. It is committed with the run, before the sender gets its answer. */
const maxKeptUnits = 16_384

export const deliverIf: StagePart = {
  name: 'deliver_if',
  compile(route, kit) {
    if (route.deliver_if === undefined) return {}
    const written = withDigits(route.deliver_if as Json)
    const names = new Set(lookupReads(written, [deliverIf.name]).map(({ name }) => name))
    const reads = readsOf(written, kit.operators)
    reportUnkept(names, reads, kit.report)
    const { effects, name } = kit
    const holds = compileConditions(written, {
      ...kit,
      root: deliverIf.name,
      report: (code, path, message, help) => kit.report(code, [deliverIf.name, ...path], message, help),
    })
    const keep = compileKept(names, reads.fields)
    const { askAgain } = compileLookups(route, { ...kit, report: () => {} })
    const mayDeliver: MayDeliver = async (run) => {
      if (!run.deliverIf) return { kind: 'deliver' }
      const { asked, payload: text } = run.deliverIf
      const known = await askAgain(asked)
      if (known.failed) {
        const { name: lookup, why, retryAfterMs } = known.failed
        return { kind: 'again', why: `deliver_if: lookup.${lookup}: ${why}`, retryAfterMs }
      }
      const { eventId, profile, event: eventType, deliveryId, acceptedAt: at } = run
      const about = { eventId, route: name, profile, headers: {}, eventType, eventAlias: undefined, deliveryId, at, pathAndQuery: '' }
      return verdictOf(await holds({ ...about, text, payload: JSON.parse(text) as Json, lookup: known.lookup }))
    }
    return {
      mayDeliver,
      onEvent: kit.expressions.around((event): MaybePromise<Event | Outcome> => {
        const deliverIf = keep(event)
        if (sizeOf(deliverIf) > maxKeptUnits)
          return refuse('schema_mismatch', { detail: `deliver_if reads values of more than ${maxKeptUnits} characters together` })
        const kept = { ...event, deliverIf }
        if (!effects.onlooker) return kept
        return Promise.resolve(holds(event)).then((verdict) => {
          effects.onlooker?.noted(verdict.pass ? 'deliver_if holds now' : `deliver_if does not hold now: ${verdict.rule()}`)
          return kept
        })
      }),
    }
  },
}

const verdictOf = (verdict: Awaited<ReturnType<ReturnType<typeof compileConditions>>>): DeliveryVerdict => {
  if (verdict.pass) return { kind: 'deliver' }
  return { kind: verdict.isLater ? 'again' : 'stale', why: verdict.rule() }
}

const sizeOf = ({ asked, payload }: DeliveryFacts): number => JSON.stringify(asked).length + payload.length

/** What a condition reads of its event: fields, without those of the items of lists, and by operators that look at the whole event. */
type Reads = { readonly fields: string[]; readonly expressions: string[] }

const readsOf = (
  condition: ExactJson,
  operators: StageKit['operators'],
  found: Reads = { fields: [], expressions: [] },
  isOfItems = false,
): Reads => {
  for (const each of Array.isArray(condition) ? condition : [condition]) {
    if (!isObject(each)) continue
    for (const [key, value] of Object.entries(each)) {
      const operator = operators.get(key)
      if (operator?.fieldless) found.expressions.push(key)
      else if (typeof value === 'string' && (operator?.namesField || (key === 'field' && !isOfItems))) found.fields.push(value)
      else if (!operator) readsOf(value, operators, found, isOfItems || key === 'any_item' || key === 'every_item')
    }
  }
  return found
}

const isOfEvent = (field: string): boolean => field === 'event' || field === 'event_type'

/** Whether a field is of the request, of its whole batch, or made of many values, so that a run does not keep it. */
const isUnkept = (field: string): boolean =>
  field.startsWith('headers.') ||
  compileRequestField(field) !== undefined ||
  pathInBatch(field) !== undefined ||
  field === changedFilesField ||
  field.startsWith(`${changedFilesField}.`)

const reportUnkept = (names: ReadonlySet<string>, { fields, expressions: [expression] }: Reads, report: StageReport): void => {
  const say = (why: string, help: string): void => report('WH246', [deliverIf.name], why, help)
  if (expression !== undefined)
    say(`"deliver_if" takes no ${expression}: a run does not keep the whole payload`, 'write it with other conditions')
  else if (names.size === 0)
    say('"deliver_if" reads no lookup, and nothing else can change until the delivery', 'write it under filters, or read lookup.<name>')
  const unkept = fields.find(isUnkept)
  if (unkept !== undefined) say(`"deliver_if" cannot read ${unkept}: a run does not keep it`, 'read a field of the payload or of a lookup')
}

/** Compiles what a run keeps. `names`: the lookups that the condition reads; an empty name stands for all. */
const compileKept = (names: ReadonlySet<string>, fields: readonly string[]): ((event: Event) => DeliveryFacts) => {
  const ofPayload = fields.filter((field) => !isOfEvent(field) && pathInLookup(field) === undefined)
  const places = ofPayload
    .map((field) => ({ parts: partsOf(field), read: compileField(field) }))
    // Where one field is a map and another field lies inside it, the map is kept, and has the other field's value too.
    .filter(
      ({ parts }, _, all) => !all.some((other) => other.parts.length < parts.length && other.parts.every((part, i) => part === parts[i])),
    )
  return (event) => {
    const { asked = {} } = event.lookup ?? {}
    const payload: { [key: string]: ExactJson } = {}
    for (const { parts, read } of places) putAt(payload, parts, read(event))
    return {
      asked: Object.fromEntries(Object.entries(asked).filter(([name]) => names.has('') || names.has(name))),
      payload: renderJson(payload, Number.POSITIVE_INFINITY, 0),
    }
  }
}

/** Puts a value into maps, below the keys of its path. The number of an item in a list becomes a key: paths read both alike. */
const putAt = (into: { [key: string]: ExactJson }, [key = '', ...below]: readonly string[], value: ExactJson | undefined): void => {
  if (value === undefined) return
  const inside = below.length === 0 ? value : (own(into, key) ?? {})
  put(into, key, inside)
  if (below.length > 0) putAt(inside as { [key: string]: ExactJson }, below, value)
}
