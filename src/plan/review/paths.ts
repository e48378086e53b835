/** Finds fields and keys whose paths are likely written as in another tool (WH341). What surely has no value is an error of the route. */

import { slipSentence, slipsOfPaths } from '../route-paths.ts'
import { leavesOf } from './filters/fields.ts'
import { keysOf } from './keys.ts'
import { samplesOf } from './sampled.ts'
import { knownPaths } from './samples/known-paths.ts'
import { fixOf, type Subject } from './subject.ts'

export const reviewPaths = (subject: Subject): void => {
  const { spec, say, placeOf } = subject
  const { proves, unwraps } = knownPaths(samplesOf(subject), 'event')
  for (const { path, at, why, help, instead, isNever, isWhole } of slipsOfPaths(spec)) {
    if (isNever || !isWhole || proves(path) === true) continue
    const isProven = instead !== undefined && proves(instead) === true
    const fix = isProven ? { fix: fixOf(`write ${instead}`, true, { place: placeOf(at), text: JSON.stringify(instead) }) } : {}
    say('WH341', at, slipSentence(path, why), { help, ...(instead === undefined ? {} : { suggest: [instead] }), ...fix })
  }
  const keys = keysOf(spec).flatMap(({ key, path, names }) => (names.length === 0 ? [{ field: key, at: path }] : []))
  for (const { field, at } of [...leavesOf(spec.filters).map(({ field, path }) => ({ field, at: [...path, 'field'] })), ...keys]) {
    const inner = proves(field) === true || field.startsWith('payload.') ? undefined : unwraps(field)
    if (inner === undefined) continue
    say('WH341', at, `"${field}" is in no sample: a path begins at the top of the payload`, {
      help: `write ${inner}`,
      suggest: [inner],
      fix: fixOf(`write ${inner}`, true, { place: placeOf(at), text: JSON.stringify(inner) }),
    })
  }
}
