/**
 * Adds the texts that editors show where the pointer rests: each key's default, and for each target how it is connected and what it reads.
 */

import { waysOf } from '../../src/parts/targets/delivery/settings.ts'
import { targets } from '../../src/parts/targets/index.ts'
import { extraOf } from '../target-schema.ts'
import type { Definitions, Node } from './schema-node.ts'

/** Returns a schema in which the long text of each node names its default, unless the text names it already. */
export const withDefaultTexts = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(withDefaultTexts)
  if (typeof node !== 'object' || node === null) return node
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, key === 'default' ? value : withDefaultTexts(value)]))
  const { default: value, markdownDescription: text } = inner
  const isSaid = typeof text !== 'string' || /\bdefault\b|\babsent\b/i.test(text)
  return value === undefined || isSaid ? inner : { ...inner, markdownDescription: `${text}\n\nDefault ${quotedValue(value)}.` }
}

const quotedValue = (value: unknown): string =>
  value === '' ? 'an empty text' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

/** Returns the definitions, in which each name of a target has a text about the target. */
export const withTargetTexts = (definitions: Definitions): Definitions => {
  const target = definitions.Target as Node
  const branches = (target.oneOf as readonly Node[]).map((branch) =>
    Array.isArray(branch.enum) ? { ...branch, enumDescriptions: branch.enum.map((name) => targetText(String(name))) } : branch,
  )
  return { ...definitions, Target: { ...target, oneOf: branches } }
}

const targetText = (asked: string): string => {
  const target = targets.find(({ name, aliases = [] }) => name === asked || aliases.includes(asked))
  if (!target) return asked
  const { name, title, program, requires = [] } = target
  const reads = Object.entries(extraOf(target)).flatMap(([key, { doNotSuggest }]) => (doNotSuggest ? [] : [key]))
  const ways = waysOf(target)
  return [
    name === asked ? title : `The same as ${name}: ${title}`,
    ...(ways.length > 0 ? [`Connected by ${ways.join('; or ')}`] : []),
    ...(program === undefined ? [] : [`Needs the program ${program}`]),
    ...(requires.length > 0
      ? [`A route must give ${requires.join(', ')}`]
      : reads.length > 0
        ? [`A route may give ${reads.join(', ')}`]
        : []),
  ].join('. ')
}
