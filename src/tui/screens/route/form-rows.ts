/**
 * The rows of a route's form: the mode, the fields that stand above all sections (`headKeys`), and the sections. A section always shows its
 * main fields. Its other fields are folded (hidden) as long as they are not set and the user has not unfolded the section.
 */

import { pointerOf } from '../../../core/diagnostic.ts'
import type { JsonObject } from '../../../core/json.ts'
import { type FormField, formFields, groupFields, type Mode, modeOf, shownValue } from '../../../edit/form.ts'
import { headKeys, type SectionName, sectionOf, sections } from '../../../edit/sections.ts'
import type { Preview } from '../../../edit/service.ts'

/**
 * A field. `depth`: the number of groups around the field. `isOpen`: whether a group shows its unset members; `undefined` if there is
 * nothing to fold.
 */
export type FieldRow = { readonly kind: 'field'; readonly field: FormField; readonly depth: number; readonly isOpen?: boolean }
/** A heading. `folded`: the number of the section's fields that are not shown. */
export type SectionRow = { readonly kind: 'section'; readonly name: SectionName; readonly isOpen: boolean; readonly folded: number }
export type FormRow = { readonly kind: 'mode'; readonly mode: Mode } | SectionRow | FieldRow

/** Returns the rows. `unfolded`: the sections and groups that the user unfolded, by `foldKey`. */
export const formRows = (spec: JsonObject, unfolded: readonly string[]): readonly FormRow[] => {
  const fields = formFields(spec).filter(({ path: [key] }) => !modeRowKeys.has(String(key)))
  const head = headKeys.flatMap((key) => fields.filter(({ path }) => path[0] === key))
  const others = fields.filter((field) => !head.includes(field))
  return [
    { kind: 'mode', mode: modeOf(spec) },
    ...head.flatMap((field) => withMembers(field, spec, unfolded)),
    ...sections.flatMap(({ name, main }) => {
      const all = others.filter((field) => sectionOf(field) === name)
      const first = main.flatMap((key) => all.filter(({ path }) => path[0] === key))
      const isOpen = unfolded.includes(name)
      const rest = all.filter((field) => !first.includes(field))
      const shown = rest.filter(({ value }) => isOpen || value !== undefined)
      const heading: SectionRow = { kind: 'section', name, isOpen, folded: rest.length - shown.length }
      return [heading, ...[...first, ...shown].flatMap((field) => withMembers(field, spec, unfolded))]
    }),
  ]
}

/** The keys that have no row of their own, because the row of the mode sets them. */
const modeRowKeys: ReadonlySet<string> = new Set(['deliver_only'])

/** Returns the row of a field. The row of a group is followed by the rows of its set members, or of all members if it is unfolded. */
const withMembers = (field: FormField, spec: JsonObject, unfolded: readonly string[], depth = 0): readonly FieldRow[] => {
  if (field.form !== 'group') return [{ kind: 'field', field, depth }]
  const isOpen = unfolded.includes(pointerOf(field.path))
  const all = groupFields(field, spec)
  const members = all.filter(({ value }) => isOpen || value !== undefined)
  const hasMore = isOpen || members.length < all.length
  return [
    { kind: 'field', field, depth, ...(hasMore ? { isOpen } : {}) },
    ...members.flatMap((member) => withMembers(member, spec, unfolded, depth + 1)),
  ]
}

/** Returns the name by which a row is unfolded; `undefined` if there is nothing to unfold. */
export const foldKey = (row: FormRow): string | undefined => {
  if (row.kind === 'section') return row.name
  return row.kind === 'field' && row.isOpen !== undefined ? pointerOf(row.field.path) : undefined
}

/** Whether two rows stand for the same field, section or mode. */
export const isSameRow = (a: FormRow, b: FormRow): boolean =>
  a.kind === 'field' && b.kind === 'field'
    ? pointerOf(a.field.path) === pointerOf(b.field.path)
    : a.kind === b.kind && (a.kind !== 'section' || a.name === (b as SectionRow).name)

/** Says why a field cannot be changed, or has no effect; `undefined` for a field that acts. `preview`: the latest preview. */
export const noteOf = ({ path, idle, locked }: FormField, preview: Preview | undefined): string | undefined =>
  locked ?? idle ?? preview?.lacking?.[pointerOf(path)]

/** Puts a row into a sentence, for the line mode. */
export const formRowSentence = (row: FormRow, preview: Preview | undefined): string => {
  if (row.kind === 'mode') return `Mode: ${row.mode}`
  if (row.kind === 'section') return `Section ${row.name}${row.isOpen ? ', unfolded' : `, ${row.folded} not set`}`
  const { title, value } = row.field
  const shown = value === undefined ? 'not set' : shownValue(row.field).slice(0, 200)
  const fold = row.isOpen === undefined ? undefined : row.isOpen ? 'unfolded' : 'folded'
  return [`${title}: ${row.field.isSecret && value !== undefined ? 'set' : shown}`, fold, noteOf(row.field, preview)]
    .filter(Boolean)
    .join(', ')
}
