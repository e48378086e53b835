/** Changes a field of a route's form: opens a list, a line or `$EDITOR` for the new value, and puts that value into the draft. */

import { carriedJson, writeCarriedNumbers } from '../../../core/carried-numbers.ts'
import { pointerOf } from '../../../core/diagnostic.ts'
import type { Json } from '../../../core/json.ts'
import { change, type RouteDraft } from '../../../edit/draft/route-draft.ts'
import { allFields, type FormField, formFields } from '../../../edit/form.ts'
import { type NamesKey, namesKeyOf, type OfferedName } from '../../../edit/names-keys.ts'
import { entryScreen, type PickScreen, pickScreen, pickSeveralScreen } from '../../model/overlays.ts'
import { type ScreenUpdate, warned } from '../../model/screen.ts'

const questionId = ({ path }: Pick<FormField, 'path'>): string => `set ${pointerOf(path)}`

/**
 * Opens what the form of a field asks for: a list to pick from, a line to fill in, or `$EDITOR`. A field that cannot be changed gives a
 * warning.
 */
export const askFieldValue = (field: FormField, draft: RouteDraft): ScreenUpdate<never> => {
  const { path, title, form, value } = field
  const refused = whyNotEditable(field)
  if (refused) return refused
  switch (form) {
    case 'flag':
    case 'choice':
      return { go: { push: pickChoice(field) } }
    case 'names': {
      const key = namesKeyOf(path, value)
      return key ? { commands: [{ kind: 'ask', question: { ask: 'names', of: { draft, key } } }] } : {}
    }
    case 'group':
      return {}
    case 'json':
      return { commands: [{ kind: 'edit-text', id: questionId(field), text: editableText(field) }] }
    default:
      return {
        go: {
          push: entryScreen(questionId(field), `${title} (${path.join('.')})`, {
            help: field.description,
            text: editableText(field),
            isSecret: field.isSecret,
            form: form === 'number' ? 'number' : 'text',
          }),
        },
      }
  }
}

/** Opens a list of names for the field with a key. `offered`: the names that the program knows for that key. */
export const pickNames = (draft: RouteDraft, key: NamesKey, offered: readonly OfferedName[]): ScreenUpdate<never> => {
  const field = formFields(draft.spec).find(({ path }) => path[0] === key)
  if (!field) return {}
  const rows = offered.map(({ name, detail }) => ({ value: name, title: name, detail }))
  const usage = 'space marks, enter takes'
  return {
    go: {
      push: pickSeveralScreen(questionId(field), `${field.title}: ${usage}`, rows, {
        marked: listedNames(field),
        isUsuallyAlone: key === 'verify',
      }),
    },
  }
}

const listedNames = ({ value }: Pick<FormField, 'value'>): readonly string[] => [value ?? []].flat().map(String)

/**
 * Replaces the names of a field by the picked names, with as few edits as possible. A single scheme is written as a text and not as a list,
 * unless the file has a list already.
 */
const withPickedNames = (draft: RouteDraft, field: FormField, picked: readonly string[]): RouteDraft => {
  const { path, value } = field
  const title = `set ${path.join('.')}`
  const before = listedNames(field)
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

/** Makes the list of the field's choices, with a row for no value. The cursor stands on the current choice. */
const pickChoice = (field: FormField): PickScreen => {
  const { title, form, value, default: otherwise } = field
  const rows = form === 'flag' ? ['true', 'false'].map((each) => ({ value: each, description: '' })) : field.choices
  const unset = { value: '', title: 'not set', detail: otherwise === undefined ? '' : `then it is ${String(otherwise)}` }
  const all = [unset, ...rows.map((each) => ({ value: each.value, title: each.value, detail: each.description }))]
  return pickScreen(questionId(field), title, all, form === 'choice', value === undefined ? '' : String(value))
}

/** Turns a flag from true to false or back, without asking for the new value. A field that is no flag is not changed. */
export const switchFlag = (field: FormField, draft: RouteDraft): ScreenUpdate<never> => {
  const { value, form } = field
  if (form !== 'flag') return {}
  const refused = whyNotEditable(field)
  return refused ?? withFieldValue(draft, field, !(value ?? field.default ?? false))
}

/** Returns an update whose notice says why a field cannot be changed; `undefined` for a field that can be changed. */
const whyNotEditable = ({ title, locked, idle, value }: FormField): ScreenUpdate<never> | undefined => {
  const why = locked ?? (value === undefined ? idle : undefined)
  return why === undefined ? undefined : warned(`${title}: ${why}`)
}

const withFieldValue = (draft: RouteDraft, { path }: FormField, value: Json): ScreenUpdate<never> => ({
  world: { draft: change(draft, `set ${path.join('.')}`, [{ kind: 'set', path, value }]) },
})

const editableText = ({ form, value }: FormField): string => {
  if (value === undefined) return ''
  if (form === 'json') return writeCarriedNumbers(JSON.stringify(value, null, 2))
  return writeCarriedNumbers(Array.isArray(value) ? value.join(', ') : String(value))
}

/**
 * Puts a value that the user entered or picked into the draft. `id` says which field was asked about, and `text` is what came back. An
 * unchanged text changes nothing, and an empty text removes the key.
 */
export const fieldEntered = (draft: RouteDraft, id: string, text: string): ScreenUpdate<never> => {
  const field = allFields(draft.spec).find((each) => questionId(each) === id)
  if (!field) return {}
  if (field.form === 'names') return { world: { draft: withPickedNames(draft, field, JSON.parse(text) as string[]) } }
  if (text === editableText(field)) return {}
  const { path, value } = field
  if (text.trim() === '')
    return value === undefined ? {} : { world: { draft: change(draft, `remove ${path.join('.')}`, [{ kind: 'remove', path }]) } }
  const read = parseFieldText(field, text)
  return 'wrong' in read
    ? { world: { notice: { tone: 'bad', text: `${field.title}: ${read.wrong}` } } }
    : withFieldValue(draft, field, read.value)
}

const parseFieldText = ({ form }: FormField, text: string): { readonly value: Json } | { readonly wrong: string } => {
  if (form === 'flag') return { value: text === 'true' }
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
    return { value: carriedJson(text) }
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : 'not JSON' }
  }
}
