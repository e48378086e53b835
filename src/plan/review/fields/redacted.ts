/** Finds templates and filters that read a field which is redacted (WH508). */

import type { Path } from '../../../core/diagnostic.ts'
import { printable } from '../../../core/text.ts'
import { partsOf } from '../../../expr/path-parts.ts'
import { placeholders } from '../../../expr/placeholder.ts'
import { fieldNames } from '../filters/fields.ts'
import type { Subject } from '../subject.ts'

/** Returns a path without the `payload.` that fields of filters may begin with, and a header's name in lower case. */
const plain = (field: string): string => (field.startsWith('headers.') ? field.toLowerCase() : field.replace(/^payload\./, ''))

export const reviewRedacted = (subject: Subject, texts: readonly { readonly path: Path; readonly text: string }[]): void => {
  const { spec, config } = subject
  const redacted = [...(config.adapter.redact ?? []), ...(spec.redact ?? [])].map(plain)
  if (redacted.length === 0) return
  const isRedacted = (field: string): boolean => redacted.some((each) => covers(partsOf(each), partsOf(plain(field))))
  const help = 'take the field out of "redact", or read another field'
  for (const { path, text } of texts)
    for (const read of placeholders(text).filter(isRedacted))
      subject.say('WH508', path, `{${printable(read, 80)}} is redacted: the text has [redacted] in its place`, { help })
  for (const field of new Set(fieldNames(spec.filters).filter(isRedacted)))
    subject.say('WH508', ['filters'], `the filters read "${printable(field, 80)}", which is redacted: they see [redacted]`, { help })
}

/** Whether a redacted path leads to a field, or to a value around it. `*` stands for each item of a list, and for a single value. */
const covers = ([step, ...rest]: readonly string[], field: readonly string[]): boolean => {
  if (step === undefined) return true
  const [first, ...onward] = field
  if (step === '*') return covers(rest, field) || (/^\d+$/.test(first ?? '') && covers(rest, onward))
  return step === first && covers(rest, onward)
}
