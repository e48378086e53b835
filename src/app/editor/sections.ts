/** The sections of a route's form, in the order of an event's way: how it arrives, the rules, the work, the delivery, and limits. */

import type { FormField } from './form.ts'

export type SectionName = 'arrives' | 'rules' | 'work' | 'delivery' | 'limits'

/** A section of the form. `main`: the fields that come first, and are shown even if they are not set. */
type Section = { readonly name: SectionName; readonly main: readonly string[] }

export const sections: readonly Section[] = [
  { name: 'arrives', main: ['events', 'verify', 'secret'] },
  { name: 'rules', main: ['filters'] },
  { name: 'work', main: ['prompt'] },
  { name: 'delivery', main: ['deliver'] },
  { name: 'limits', main: [] },
]

/** The keys that stand above all sections, because they say what the route is. */
export const headKeys: readonly string[] = ['description', 'enabled', 'tests']

const byKey: { readonly [key: string]: SectionName } = {
  profile: 'arrives',
  deliver: 'delivery',
  deliver_extra: 'delivery',
  deliver_mode: 'delivery',
  respond: 'delivery',
  mirror_to_session: 'delivery',
  retry: 'limits',
  concurrency: 'limits',
  coalesce: 'limits',
  script_timeout_seconds: 'limits',
}

const byStage: { readonly [stage: string]: SectionName } = {
  own_comment: 'rules',
  filters: 'rules',
  script: 'rules',
  duplicate: 'rules',
  dispatch: 'work',
}

/** Returns the section of a field. A key that `byKey` does not have goes to the section of its stage. */
export const sectionOf = ({ path: [key], stage }: Pick<FormField, 'path' | 'stage'>): SectionName =>
  byKey[String(key)] ?? byStage[stage] ?? 'arrives'
