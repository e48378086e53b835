/** Opens the one right way to change a field, and takes in what came of it. */

import type { OfferedName } from '../../../app/editor/desk.ts'
import { change, type RouteDraft } from '../../../app/editor/draft/route-draft.ts'
import { type Field, fieldsOf, membersOf } from '../../../app/editor/form.ts'
import { type NamesKey, namesKeyOf } from '../../../app/editor/names-keys.ts'
import { pointerOf } from '../../../core/diagnostic.ts'
import type { Json } from '../../../core/json.ts'
import { entry, pick, pickSeveral } from '../../model/overlays.ts'
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
    case 'names': {
      const key = namesKeyOf(path, value)
      return key ? { wishes: [{ kind: 'ask', question: { ask: 'names', of: { draft, key } } }] } : {}
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

/** Opens the list of what the program offers for a field of names. */
export const pickNames = (draft: RouteDraft, key: NamesKey, offered: readonly OfferedName[]): Turn<never> => {
  const field = fieldsOf(draft.spec).find(({ path }) => path[0] === key)
  if (!field) return {}
  const rows = offered.map(({ name, detail }) => ({ value: name, title: name, detail }))
  const usage = 'space marks, enter takes'
  return {
    go: { push: pickSeveral(idOf(field), `${field.title}: ${usage}`, rows, { marked: namesIn(field), isUsuallyAlone: key === 'verify' }) },
  }
}

const namesIn = ({ value }: Pick<Field, 'value'>): readonly string[] => [value ?? []].flat().map(String)

/** The fewest edits that make the names those that were picked; a single scheme stands alone. */
const namesPicked = (draft: RouteDraft, field: Field, picked: readonly string[]): RouteDraft => {
  const { path, value } = field
  const title = `set ${path.join('.')}`
  const before = namesIn(field)
  if (picked.length === before.length && picked.every((name) => before.includes(name))) return draft
  if (picked.length === 0) return change(draft, `remove ${path.join('.')}`, [{ kind: 'remove', path }])
  if (!Array.isArray(value)) {
    const [first = ''] = picked
    return change(draft, title, [{ kind: 'set', path, value: path[0] === 'verify' && picked.length === 1 ? first : [...picked] }])
  }
  const gone = before.flatMap((name, i) => (picked.includes(name) ? [] : [i])).reverse()
  const added = picked.filter((name) => !before.includes(name))
  const left = before.length - gone.length
  return change(draft, title, [
    ...gone.map((i) => ({ kind: 'remove', path: [...path, i] }) as const),
    ...added.map((name, i) => ({ kind: 'insert', path, at: left + i, value: name }) as const),
  ])
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
  if (field.form === 'names') return { world: { draft: namesPicked(draft, field, JSON.parse(text) as string[]) } }
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
