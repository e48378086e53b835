/**
 * The sections of a route's form, in the order in which an event meets their keys: how an event arrives, the rules, the work, the delivery;
 * the limits come last.
 */

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

const sectionByKey: { readonly [key: string]: SectionName } = {
  profile: 'arrives',
  deliver: 'delivery',
  deliver_extra: 'delivery',
  deliver_mode: 'delivery',
  respond: 'delivery',
  callback: 'delivery',
  mirror_to_session: 'delivery',
  retry: 'limits',
  priority: 'limits',
  rate_limit: 'limits',
  concurrency: 'limits',
  coalesce: 'limits',
  duplicates: 'limits',
  catch_up: 'arrives',
  poll: 'arrives',
  attachments: 'work',
  script_timeout_seconds: 'limits',
}

const sectionByStage: { readonly [stage: string]: SectionName } = {
  own_comment: 'rules',
  payload_schema: 'rules',
  filters: 'rules',
  script: 'rules',
  duplicate: 'rules',
  dispatch: 'work',
}

/** Returns the section of a field: by its key, or else by the stage that reads it. Any other field belongs to `arrives`. */
export const sectionOf = ({ path: [key], stage }: Pick<FormField, 'path' | 'stage'>): SectionName =>
  sectionByKey[String(key)] ?? sectionByStage[stage] ?? 'arrives'
