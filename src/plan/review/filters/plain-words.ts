/** Finds expressions that conditions can say, too, which are easier to read and cost a hundredth (WH420). */

import { isObject, type Json } from '../../../core/json.ts'
import { printable } from '../../../core/text.ts'
import { conditionLike } from '../../../expr/jsonata/jsonata.ts'
import type { Subject } from '../subject.ts'
import { expressionsOf } from './fields.ts'

const maxShown = 300

/** Writes a value as YAML on one line. */
const onOneLine = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${key}: ${onOneLine(member)}`)
    .join(', ')} }`
}

export const reviewExpressions = ({ spec, say }: Subject): void => {
  for (const { source, path } of expressionsOf(spec.filters)) {
    const condition = conditionLike(source)
    if (!condition) continue
    const help = `where each field has one value (with length: a list), write ${printable(onOneLine(condition), maxShown)}`
    say('WH420', path, 'a condition says this without an expression', { help })
  }
}
