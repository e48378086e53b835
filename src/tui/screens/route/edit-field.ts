/** Opens the one right way to change a field, and takes in what came of it. */

import { change, type RouteDraft } from '../../../app/editor/draft/route-draft.ts'
import { type Field, fieldsOf, membersOf } from '../../../app/editor/form.ts'
import { pointerOf } from '../../../core/diagnostic.ts'
import type { Json } from '../../../core/json.ts'
import { entry, pick } from '../../model/overlays.ts'
import { type Turn, warned } from '../../model/screen.ts'

const idOf = ({ path }: Pick<Field, 'path'>): string => `set ${pointerOf(path)}`

/** What enter does on a field. */
export const editField = (field: Field, draft: RouteDraft): Turn<never> => {
  const { path, title, form, locked, idle, value } = field
  const refused = locked ?? (value === undefined ? idle : undefined)
  if (refused !== undefined) return warned(`${title}: ${refused}`)
  switch (form) {
    case 'flag':
      return set(draft, field, !(value ?? field.default ?? false))
    case 'choice':
      return {
        go: {
          push: pick(
            idOf(field),
            title,
            field.choices.map(({ value: each, description }) => ({ value: each, title: each, detail: description })),
            true,
          ),
        },
      }
    case 'group':
      return value === undefined ? set(draft, field, groupOf(field, draft)) : {}
    case 'json':
      return { wishes: [{ kind: 'edit-text', id: idOf(field), text: textOf(field) }] }
    default:
      return {
        go: {
          push: entry(idOf(field), `${title} (${path.join('.')})`, {
            help: field.description,
            text: textOf(field),
            isSecret: field.isSecret,
            form: form === 'number' ? 'number' : 'text',
          }),
        },
      }
  }
}

const set = (draft: RouteDraft, { path }: Field, value: Json): Turn<never> => ({
  world: { draft: change(draft, `set ${path.join('.')}`, [{ kind: 'set', path, value }]) },
})

/** A group begins with what it must have. */
const groupOf = (field: Field, draft: RouteDraft): Json =>
  Object.fromEntries(
    membersOf(field, draft.spec)
      .filter((member) => member.isRequired)
      .map((member) => [String(member.path.at(-1)), member.default ?? member.examples[0] ?? (member.form === 'number' ? 1 : '')]),
  )

const textOf = ({ form, value }: Field): string => {
  if (value === undefined) return ''
  if (form === 'json') return JSON.stringify(value, null, 2)
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** A value that came back for a field: an empty text takes the key out. */
export const entered = (draft: RouteDraft, id: string, text: string): Turn<never> => {
  const field = allFields(draft).find((each) => idOf(each) === id)
  if (!field) return {}
  const { path, value } = field
  if (text.trim() === '')
    return value === undefined ? {} : { world: { draft: change(draft, `remove ${path.join('.')}`, [{ kind: 'remove', path }]) } }
  const read = readAs(field, text)
  return 'wrong' in read ? { world: { notice: { tone: 'bad', text: `${field.title}: ${read.wrong}` } } } : set(draft, field, read.value)
}

const allFields = ({ spec }: RouteDraft): readonly Field[] => fieldsOf(spec).flatMap((field) => [field, ...membersOf(field, spec)])

const readAs = ({ form }: Field, text: string): { readonly value: Json } | { readonly wrong: string } => {
  if (form === 'number') return Number.isFinite(Number(text)) ? { value: Number(text) } : { wrong: 'a number is needed' }
  if (form === 'list')
    return {
      value: text
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    }
  if (form !== 'json') return { value: text }
  try {
    return { value: JSON.parse(text) as Json }
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : 'not JSON' }
  }
}
