/** The rows of a route's form: its mode, its fields, and the members of the groups that are unfolded. */

import { type Field, fieldsOf, type Mode, membersOf, modeOf, shownValue } from '../../../app/editor/form.ts'
import { pointerOf } from '../../../core/diagnostic.ts'
import type { JsonObject } from '../../../core/json.ts'

/** `isOpen`: of a group whether what is not set in it is shown. */
export type FieldRow = { readonly kind: 'field'; readonly field: Field; readonly depth: number; readonly isOpen?: boolean }
export type FormRow = { readonly kind: 'mode'; readonly mode: Mode } | FieldRow

/** `unfolded`: what the user opened, by `keyOf`. */
export const formRows = (spec: JsonObject, unfolded: readonly string[]): readonly FormRow[] => [
  { kind: 'mode', mode: modeOf(spec) },
  ...fieldsOf(spec)
    .filter(({ path: [key] }) => !ofMode.has(String(key)))
    .flatMap((field) => withMembers(field, spec, unfolded)),
]

/** What the first row stands for. */
const ofMode: ReadonlySet<string> = new Set(['deliver_only'])

/** What is set in a group follows it; the rest where it is unfolded. */
const withMembers = (field: Field, spec: JsonObject, unfolded: readonly string[], depth = 0): readonly FieldRow[] => {
  if (field.form !== 'group') return [{ kind: 'field', field, depth }]
  const isOpen = unfolded.includes(foldKey(field))
  const members = membersOf(field, spec).filter(({ value }) => isOpen || value !== undefined)
  return [{ kind: 'field', field, depth, isOpen }, ...members.flatMap((member) => withMembers(member, spec, unfolded, depth + 1))]
}

export const foldKey = ({ path }: Pick<Field, 'path'>): string => pointerOf(path)

/** A row as a sentence, for the line mode. */
export const rowSaid = (row: FormRow): string => {
  if (row.kind === 'mode') return `Mode: ${row.mode}`
  const { title, value, idle, locked } = row.field
  const shown = value === undefined ? 'not set' : shownValue(row.field).slice(0, 200)
  const fold = row.isOpen === undefined ? undefined : row.isOpen ? 'unfolded' : 'folded'
  return [`${title}: ${row.field.isSecret && value !== undefined ? 'set' : shown}`, fold, idle, locked].filter(Boolean).join(', ')
}
