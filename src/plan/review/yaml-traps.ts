/**
 * Finds values of conditions, and ids in `deliver_extra`, that YAML 1.2 reads in another way than their author may think (WH006): `no` is a
 * text, and `010` is the number 10.
 */

import type { Path } from '../../core/diagnostic.ts'
import type { Json } from '../../core/json.ts'
import { comparedIn, domainOf, leavesOf } from './filters/fields.ts'
import { fixOf, type Subject } from './subject.ts'

export const reviewYamlTraps = (subject: Subject): void => {
  for (const leaf of leavesOf(subject.spec.filters))
    for (const { value, path } of comparedIn(leaf, domainOf(leaf, subject.catalogue.operators))) checkValue(value, path, subject)
  for (const key of ['chat_id', 'message_thread_id', 'thread_id', 'pr_number', 'iid']) {
    const value = subject.spec.deliver_extra?.[key] as Json | undefined
    if (typeof value === 'number') checkValue(value, ['deliver_extra', key], subject)
  }
}

const truthWords = /^(?:yes|no|on|off)$/i

const checkValue = (value: Json, path: Path, { texts, placeOf, say }: Subject): void => {
  // Only numbers and truth words can be misread. A value in quotes is no trap: the written text begins with a quote, so no check matches
  // it.
  if (typeof value !== 'number' && !(typeof value === 'string' && truthWords.test(value))) return
  const place = placeOf(path)
  const written = texts.at(place)
  if (written === undefined) return
  const quoted = JSON.stringify(written)
  const quote = fixOf('put it in quotes', false, { place, text: quoted })
  if (typeof value === 'string' && truthWords.test(written)) {
    const truth = /^(?:yes|on)$/i.test(written)
    const help = `write ${truth} if a truth value is meant, and ${quoted} if the text is`
    say('WH006', path, `${written} is the text ${quoted} here, not ${truth}`, { help, suggest: [String(truth), quoted], fix: quote })
  } else if (typeof value === 'number' && /^[-+]?0\d/.test(written)) {
    const help = `put it in quotes: ${quoted}`
    say('WH006', path, `${written} is the number ${value} here: its zeros are lost`, { help, suggest: [quoted] })
  }
}
