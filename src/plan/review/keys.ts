/**
 * Reviews the keys of a route, by which events belong together: keys that no sample has (WH215), that two repositories share (WH344), and
 * that all events share (WH352).
 */

import type { Path } from '../../core/diagnostic.ts'
import { printable } from '../../core/text.ts'
import { compileField } from '../../expr/path.ts'
import { placeholders } from '../../expr/placeholder.ts'
import { scalarKey } from '../../expr/render.ts'
import { hasFallback } from '../../expr/template.ts'
import type { Route } from '../../generated/config.ts'
import { leavesOf } from './filters/fields.ts'
import { coversEvents, inNoneOf, type Sampled, samplesOf } from './sampled.ts'
import { nearFields, nearPathHelp } from './samples/near-paths.ts'
import { fixOf, type Subject } from './subject.ts'

/** What becomes of an event without a value for the key, by the section of the route that has the key. */
const withoutValue = {
  coalesce: 'merges nothing',
  concurrency: 'all events share one limit',
  rate_limit: 'all events share one limit',
  session: 'no event has a session',
  cancel_on: 'ends nothing',
  supersede: 'ends nothing',
  cooldown: 'holds nothing back',
  duplicates: 'holds nothing back',
} as const

/** A key of a route. `names`: its placeholders; none where the key is the name of a field. */
type WrittenKey = { readonly of: keyof typeof withoutValue; readonly key: string; readonly path: Path; readonly names: readonly string[] }

export const keysOf = (spec: Route): readonly WrittenKey[] =>
  (Object.keys(withoutValue) as (keyof typeof withoutValue)[]).flatMap((of) => {
    const key = spec[of]?.key
    return key === undefined ? [] : [{ of, key, path: [of, 'key'], names: placeholders(key) }]
  })

export const reviewKeys = (subject: Subject): void => {
  const [asked, known] = [subject.samples?.get(subject.route), samplesOf(subject)]
  for (const written of keysOf(subject.spec)) {
    reviewConstant(written, subject)
    if (known && known.taken.length > 0) reviewShared(written, known, subject)
    if (asked && asked.taken.length > 0) reviewValue(written, asked, subject)
  }
}

/** What one event does to all others of its route, where all have the same key. Elsewhere such a key may be meant so. */
const whereConstant: { readonly [of in WrittenKey['of']]?: string } = {
  cancel_on: 'one event ends the work of all others',
  supersede: 'each event ends the work of all others',
  duplicates: 'each event is a duplicate of the first',
}

const reviewConstant = ({ of, key, path, names }: WrittenKey, { say }: Subject): void => {
  const does = whereConstant[of]
  if (does === undefined || names.length === 0 || names.some((name) => name !== 'route')) return
  say('WH352', path, `"${printable(key, 80)}" is the same for all events of the route: ${does}`, {
    help: 'name what the event is about, such as {repository.full_name}#{number}; if it is meant so, accept this finding',
  })
}

/** Values that are counted, or named, anew in each repository or project. */
const perRepository =
  /^(?:payload\.)?(?:number|ref|(?:pull_request|issue|discussion|object_attributes|merge_request)\.(?:number|iid)|pull_request\.head\.ref|object_attributes\.(?:source_branch|target_branch)|check_(?:run|suite)\..*head_branch|workflow_run\.(?:head_branch|run_number))$/

/** Where senders name the repository or project of an event. */
const repositories = ['repository.full_name', 'project.path_with_namespace'] as const

/**
 * Reports a key that two repositories of one hook share: those of an organisation number their issues each from 1. Nothing is said where a
 * filter asks for the repository.
 */
const reviewShared = ({ key, path, names }: WrittenKey, { taken }: Sampled, { spec, say, placeOf }: Subject): void => {
  const repository = repositories.find((each) => taken.every(({ event }) => compileField(each)(event) !== undefined))
  if (repository === undefined || leavesOf(spec.filters).some(({ field }) => /(?:^|\.)(?:repository|project)\./.test(field))) return
  const read = names.length > 0 ? names : [key]
  if (!read.some((name) => perRepository.test(name))) return
  if (!read.every((name) => perRepository.test(name) || hasFallback(name) || name === 'action')) return
  const instead = `{${repository}}#${names.length > 0 ? key : `{${key}}`}`
  const why = 'is the same in two repositories: on the hook of an organisation, their events are taken together'
  say('WH344', path, `"${printable(key, 80)}" ${why}`, {
    help: `write ${instead}; for the hook of one repository, nothing is wrong`,
    suggest: [instead],
    fix: fixOf(`write ${instead}`, false, { place: placeOf(path), text: JSON.stringify(instead) }),
  })
}

/**
 * Reports a key for which no sample has a value. Only of a group it is known whether its template has one: other templates are reviewed as
 * texts are.
 */
const reviewValue = ({ of, key, path, names }: WrittenKey, sampled: Sampled, { spec, say, placeOf, texts }: Subject): void => {
  const made = sampled.taken.filter(({ texts }) => texts !== undefined)
  const isTemplate = names.length > 0
  const hasValue =
    of === 'coalesce'
      ? made.some(({ merged }) => merged)
      : isTemplate || made.some(({ textEvent }) => textEvent && scalarKey(compileField(key)(textEvent)) !== undefined)
  if (made.length === 0 || hasValue) return
  const fields = isTemplate ? names.filter((name) => !name.startsWith('=')) : [key]
  const near = nearFields(fields.find((name) => !sampled.paths('textEvent').includes(name)) ?? '', sampled, 'textEvent')
  if (near.slips.length === 0 && !(coversEvents(sampled, spec) && made.some(({ passes }) => passes))) return
  const { same } = near
  const place = placeOf(path)
  const fix = same !== undefined && !isTemplate && texts.at(place) !== undefined
  say('WH215', path, `the key "${printable(key, 80)}" has no value, so ${withoutValue[of]}: it is ${inNoneOf(made)}`, {
    help: nearPathHelp(near),
    suggest: near.all,
    ...(fix ? { fix: fixOf(`write ${same}`, false, { place, text: JSON.stringify(same) }) } : {}),
  })
}
