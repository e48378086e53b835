/**
 * The pane of settings on the deliver screen: its rows (the mode of several targets, and the fields of each chosen target), and what keys
 * do on a row.
 */

import { carriedJson, writeCarriedNumbers } from '../../../core/carried-numbers.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { namesSettingSecret } from '../../../core/secret-names.ts'
import { setExtra, targetsIn } from '../../../edit/draft/deliver-steps.ts'
import { change, type RouteDraft } from '../../../edit/draft/route-draft.ts'
import { extraFieldsOf, type FormField, readsKey, shownValue } from '../../../edit/form.ts'
import type { TargetRow } from '../../../edit/service.ts'
import { chooseScreen, entryScreen } from '../../model/overlays.ts'
import type { Returned, ScreenUpdate } from '../../model/screen.ts'

/** A row of the pane: the mode of several targets, a setting of a target, or a target without settings. */
export type SettingRow =
  | { readonly kind: 'mode'; readonly mode: string }
  /** `place`: the place of the target among the targets of the route. */
  | { readonly kind: 'field'; readonly field: FormField; readonly place: number; readonly target: TargetRow }
  /** The target has no fields: it reads no settings, or only settings that the user adds by name. */
  | { readonly kind: 'none'; readonly place: number; readonly target: TargetRow }

/** Returns the rows of the settings. A target that is not among `targets` has no rows, because a finding reports it. */
export const settingRows = (spec: JsonObject, targets: readonly TargetRow[] = []): readonly SettingRow[] => [
  ...(Array.isArray(spec.deliver)
    ? [{ kind: 'mode', mode: spec.deliver_mode === 'first_success' ? 'first_success' : 'all' } as const]
    : []),
  ...targetsIn(spec).flatMap(({ target: name, extraPath }, place): SettingRow[] => {
    const target = targets.find((each) => each.name === name)
    if (!target) return []
    // The targets of a list may share the route's settings. Then each target shows the shared settings that it reads.
    const isShared = Array.isArray(spec.deliver) && extraPath.length === 1
    const fields = extraFieldsOf(target, spec, extraPath).filter((field) => !isShared || readsKey(target, settingKey(field)))
    return fields.length === 0 ? [{ kind: 'none', place, target }] : fields.map((field) => ({ kind: 'field', field, place, target }))
  }),
]

/** Returns the key of a setting in `deliver_extra`. */
export const settingKey = ({ path }: Pick<FormField, 'path'>): string => String(path.at(-1))

/** Puts a row into a sentence, for the line mode. */
export const settingSentence = (row: SettingRow): string => {
  if (row.kind === 'mode') return `Mode: ${modeTitles[row.mode] ?? row.mode}`
  if (row.kind === 'none') return noSettingsText(row)
  const { field, target } = row
  const needed = field.isRequired ? ', required' : ''
  return `${target.name}, ${field.title}${needed}: ${field.value === undefined ? 'not set' : shownValue(field)}${field.idle === undefined ? '' : `, ${field.idle}`}`
}

/** Says whether settings can be added to a target that has none. */
export const noSettingsText = ({ target: { name, settings } }: { readonly target: TargetRow }): string =>
  settings.additionalProperties === true ? `${name}: a adds a setting` : `${name} takes no settings`

/** What each mode of several targets (`deliver_mode`) means. */
export const modeTitles: { readonly [mode: string]: string } = {
  all: 'to each target of the list',
  first_success: 'in order, until one has it',
}

const modeId = 'deliver mode'
const setId = 'deliver set'
const addId = 'deliver add'

const withMode = (draft: RouteDraft, value: string): RouteDraft =>
  change(draft, `deliver ${modeTitles[value]}`, [{ kind: 'set', path: ['deliver_mode'], value }])

/** Switches to the other mode without asking. */
export const switchMode = ({ mode }: Extract<SettingRow, { kind: 'mode' }>, draft: RouteDraft): ScreenUpdate<never> => ({
  world: { draft: withMode(draft, mode === 'all' ? 'first_success' : 'all') },
})

/** Handles enter on a row: asks for the mode, or for the value of the field. A row without a field asks for the name of a setting. */
export const editSetting = (row: SettingRow): ScreenUpdate<never> => {
  if (row.kind === 'none') return addSetting(row)
  if (row.kind === 'mode') {
    const choices = Object.entries(modeTitles).map(([value, title]) => ({ value, title }))
    const at = choices.findIndex(({ value }) => value === row.mode)
    return { go: { push: chooseScreen(modeId, 'where does the text go?', choices, at) } }
  }
  const { field, place, target } = row
  const { form, examples, isSecret } = field
  const id = `${setId} ${place} ${settingKey(field)}`
  if (form === 'json' || form === 'group') return { commands: [{ kind: 'edit-text', id, text: editableText(field) }] }
  const help = [field.description, examples.length > 0 ? `For example: ${examples.map(String).join(', ')}` : ''].filter(Boolean).join(' ')
  return { go: { push: entryScreen(id, `${field.title} of ${target.name}`, { help, text: editableText(field), isSecret }) } }
}

/** Returns the text in which the user changes a setting. */
const editableText = ({ form, value }: Pick<FormField, 'form' | 'value'>): string => {
  if (form === 'json' || form === 'group') return writeCarriedNumbers(JSON.stringify(value ?? {}, null, 2))
  return value === undefined ? '' : writeCarriedNumbers(String(value))
}

/**
 * Asks for the name of a setting that has no row, then for its value. Such a setting begins with `x-`, is hidden in the schema, or belongs
 * to a target that takes any key. On the row of the mode nothing is asked.
 */
export const addSetting = (row: SettingRow): ScreenUpdate<never> =>
  row.kind === 'mode'
    ? {}
    : {
        go: {
          push: entryScreen(`${addId} ${row.place}`, `the name of a setting of ${row.target.name}`, {
            help: 'then its value is asked for',
          }),
        },
      }

/** Removes a setting, or the key of the mode. */
export const unsetSetting = (row: SettingRow, draft: RouteDraft): ScreenUpdate<never> => {
  if (row.kind === 'mode' && draft.spec.deliver_mode !== undefined)
    return { world: { draft: change(draft, 'remove deliver_mode', [{ kind: 'remove', path: ['deliver_mode'] }]) } }
  return row.kind === 'field' && row.field.value !== undefined
    ? withSetting(draft, row.place, row.target, settingKey(row.field), undefined)
    : {}
}

const withSetting = (draft: RouteDraft, place: number, target: TargetRow, key: string, value: Json | undefined): ScreenUpdate<never> => {
  const { title, edits } = setExtra(draft.spec, place, target, key, value)
  return { world: { draft: change(draft, title, edits) } }
}

/**
 * Handles a mode, a name or a value that came back from a question. A name leads to the question for its value. An empty value removes the
 * setting.
 */
export const settingEntered = (
  draft: RouteDraft,
  targets: readonly TargetRow[] = [],
  { id, value: text }: Returned,
): ScreenUpdate<never> => {
  if (id === modeId) return text === (draft.spec.deliver_mode ?? 'all') ? {} : { world: { draft: withMode(draft, text) } }
  const [, action, at = '', ...rest] = id.split(' ')
  const place = Number(at)
  const name = targetsIn(draft.spec)[place]?.target
  const target = targets.find((each) => each.name === name)
  if (!target || !id.startsWith('deliver ')) return {}
  const key = action === 'add' ? text.trim() : rest.join(' ')
  if (key === '') return {}
  if (action === 'add')
    return { go: { push: entryScreen(`${setId} ${place} ${key}`, `${key} of ${target.name}`, { isSecret: namesSettingSecret(key) }) } }
  const field = extraFieldsOf(target, draft.spec, targetsIn(draft.spec)[place]?.extraPath).find((each) => settingKey(each) === key)
  if (field && editableText(field) === text.replace(/\n$/, '')) return {}
  if (text.trim() === '') return field?.value === undefined ? {} : withSetting(draft, place, target, key, undefined)
  if (field?.form !== 'json' && field?.form !== 'group') return withSetting(draft, place, target, key, text)
  try {
    return withSetting(draft, place, target, key, carriedJson(text))
  } catch {
    return { world: { notice: { tone: 'bad', text: `${field.title}: no JSON` } } }
  }
}
