/** Lists the names that an editor offers for a key of a route. */

import { defaultProfile, type RouteSource } from '../config/config.ts'
import { definition } from '../config/schema-walk.ts'
import { skillNames } from '../config/skills.ts'
import { valueAt } from '../core/json.ts'
import type { Workspace } from '../datadir/workspace.ts'
import type { Scheme } from '../parts/schemes/scheme.ts'
import { inlineScheme } from '../parts/written-names.ts'
import type { Catalogue } from '../plan/compile.ts'
import { allSchemes, checkedWith } from '../plan/route-schemes.ts'
import type { DraftTexts } from './draft/draft-text.ts'
import type { OfferedName, OfferedNames } from './names-keys.ts'
import { loadDraft, parsedDraft } from './preview.ts'
import type { NamesRequest } from './service.ts'
import { targetRows } from './targets.ts'

/**
 * Returns the names for a key. For `verify`: every scheme that a route can name. For `events`: the event types of the senders in `verify`,
 * the most common first. Where `verify` names no sender whose event types are known: the event types of all known senders.
 */
export const offeredNames = async (
  workspace: Workspace,
  textOf: DraftTexts,
  { draft, key }: NamesRequest,
): Promise<readonly OfferedName[]> => {
  const { source, catalogue } = await loadDraft(workspace, draft.opened, parsedDraft(draft.opened, textOf(draft)))
  return key === 'verify' ? schemesOffered(catalogue) : eventsOffered(source, catalogue)
}

/**
 * Returns the names for all keys whose values are names. Targets and skills are those of the route's profile, or of the default profile
 * where the route's profile is not served.
 */
export const allOfferedNames = async (
  workspace: Workspace,
  textOf: DraftTexts,
  { draft }: Pick<NamesRequest, 'draft'>,
): Promise<OfferedNames> => {
  const { source, loaded, catalogue } = await loadDraft(workspace, draft.opened, parsedDraft(draft.opened, textOf(draft)))
  const { profiles } = loaded.config
  const name = source && profiles.has(source.profile) ? source.profile : defaultProfile
  const rows = await targetRows(workspace, name)
  return {
    verify: schemesOffered(catalogue),
    events: eventsOffered(source, catalogue),
    deliver: rows.map((row) => ({ name: row.name, detail: row.missing ?? row.title })),
    profile: [...profiles.keys()].map((profile) => ({ name: profile, detail: 'a profile' })),
    agent: [...loaded.config.agents.keys()].map((agent) => ({ name: agent, detail: 'an agent' })),
    skills: skillNames(profiles.get(name)?.dir ?? workspace.dataDir).map((skill) => ({ name: skill, detail: 'a skill' })),
  }
}

const schemesOffered = (catalogue: Catalogue): readonly OfferedName[] =>
  allSchemes(catalogue)
    .filter(({ name }) => name !== inlineScheme)
    .map(({ name, title }) => ({ name, detail: title }))

const eventsOffered = (source: RouteSource | undefined, catalogue: Catalogue): readonly OfferedName[] => {
  const named = source?.spec.verify === undefined ? [] : checkedWith(source, catalogue)
  const senders = named.some(({ events }) => events) ? named : allSchemes(catalogue)
  const titles = new Map<string, string[]>()
  const add = (name: string, { title }: Pick<Scheme, 'title'>): void => void titles.set(name, [...(titles.get(name) ?? []), title])
  for (const scheme of senders) for (const name of scheme.events?.names ?? []) add(name, scheme)
  return [...titles].map(([name, of]) => ({ name, detail: [...new Set(of)].join(', ') })).sort((a, b) => orderOf(a.name) - orderOf(b.name))
}

/** The places of event types in the examples of the schema, which begin with the most common types. */
const examples = valueAt(definition('Route'), ['properties', 'events', 'items', 'examples'])
const places = new Map((Array.isArray(examples) ? examples : []).map((name, i) => [String(name), i]))
const orderOf = (name: string): number => places.get(name) ?? places.size
