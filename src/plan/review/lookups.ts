/** Finds lookups whose answers nothing reads, those that lack a setting, and keys of them without effect. */

import { isUnknown } from '../../config/env.ts'
import type { ExactJson } from '../../core/json.ts'
import { lookupReads } from '../../parts/lookup-reads.ts'
import type { LookupSpec } from '../../parts/lookups/lookup.ts'
import { platformSettings } from '../../parts/platform-settings.ts'
import type { Subject } from './subject.ts'

/** The keys that count for each lookup. */
const commonKeys: readonly string[] = ['cache_minutes', 'on_failure']

export const reviewLookups = (subject: Subject): void => {
  const { spec, catalogue, profile, say } = subject
  const { lookup = {}, tests: _, description: __, ...reading } = spec
  const reads = [...lookupReads(reading as ExactJson), ...Object.values(lookup).flatMap((each) => lookupReads(each as ExactJson))]
  // A script gets all answers, and may read any of them.
  const isRead = (name: string): boolean => spec.script !== undefined || reads.some((read) => read.name === name || read.name === '')
  for (const [name, question] of Object.entries(lookup)) {
    if (!isRead(name))
      say('WH715', ['lookup', name], `nothing reads lookup.${name}`, { help: 'read it in a condition or a text, or remove it', of: 'key' })
    const part = question && [...catalogue.lookups.values()].find((each) => question[each.name as keyof LookupSpec] !== undefined)
    if (!part) continue
    const read = [part.name, ...commonKeys, ...part.reads(question)]
    for (const key of Object.keys(question).filter((each) => !read.includes(each) && !each.startsWith('x-')))
      say('WH210', ['lookup', name, key], `"${key}" has no effect on this lookup of ${part.title}`, {
        help: `remove it; read are: ${read.join(', ')}`,
        of: 'key',
      })
    const { env, platforms } = profile
    if (isUnknown(env)) continue
    const settings = part.platform === undefined ? {} : platformSettings(part.platform, { env, platforms })
    const lacking = part.lacks?.(question, { env, settings })
    if (lacking !== undefined) say('WH716', ['lookup', name], `lookup.${name} is not connected`, { help: `set ${lacking}`, of: 'key' })
  }
}
