/**
 * The sections of a route's form, in the order in which an event meets their keys: how an event arrives, the rules, the work, the delivery;
 * the limits come last.
 */

import { definition } from '../config/schema-walk.ts'
import { valueAt } from '../core/json.ts'
import type { FormField } from './form.ts'

export type SectionName = 'arrives' | 'rules' | 'work' | 'delivery' | 'limits'

/** A section of the form. `main`: the keys that come first in the section, and are shown even if they are not set. */
type Section = { readonly name: SectionName; readonly main: readonly string[] }

export const sections: readonly Section[] = [
  { name: 'arrives', main: ['events', 'verify', 'secret'] },
  { name: 'rules', main: ['filters'] },
  { name: 'work', main: ['prompt'] },
  { name: 'delivery', main: ['deliver'] },
  { name: 'limits', main: [] },
]

/** The keys that stand above all sections, because they concern the route as a whole. */
export const headKeys: readonly string[] = ['description', 'enabled', 'tests']

const sectionByStage: { readonly [stage: string]: SectionName } = {
  own_comment: 'rules',
  payload_schema: 'rules',
  filters: 'rules',
  script: 'rules',
  transform: 'rules',
  duplicate: 'rules',
  dispatch: 'work',
}

const keys = definition('Route').properties ?? {}

/**
 * Returns the section of a field: the one that the schema names for its key (`x-section`), or else that of the stage that reads it. Any
 * other field belongs to `arrives`.
 */
export const sectionOf = ({ path: [key], stage }: Pick<FormField, 'path' | 'stage'>): SectionName => {
  const named = valueAt(keys, [String(key), 'x-section'])
  return sections.find(({ name }) => name === named)?.name ?? sectionByStage[stage] ?? 'arrives'
}
