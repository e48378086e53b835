/** The targets, and the settings of those that are chosen with what they are on the payload. */

import type { TargetRow } from '../../../app/editor/desk.ts'
import { targetsIn } from '../../../app/editor/draft/deliver-steps.ts'
import { shownValue } from '../../../app/editor/form.ts'
import { isObject, type Json, type JsonObject, own } from '../../../core/json.ts'
import type { World } from '../../model/screen.ts'
import { beside, cell, type Line, line, type Span, span, wrap } from '../../view/line.ts'
import { listView } from '../../view/list-view.ts'
import { type Room, screenView } from '../../view/screen-view.ts'
import type { DeliverScreen } from './deliver.ts'
import { keyOf, modeTitles, noneText, type SettingRow, settingRows } from './settings.ts'

/** From this width on the panes stand beside each other. */
const wide = 100

export const deliverView = screenView<DeliverScreen>((screen, { draft, preview }, room) => {
  const { width } = room
  if (!draft) return []
  if (!screen.targets) return [line(span('reading the targets …', 'dim'))]
  const { spec } = draft
  if (width < wide) return screen.pane === 'targets' ? targetsPane(screen, spec, room) : settingsPane(screen, spec, preview, room)
  const left = Math.floor(width * 0.45)
  const right = settingsPane(screen, spec, preview, { ...room, width: width - left - 3 })
  return beside(targetsPane(screen, spec, { ...room, width: left }), right, width, left)
})

const targetsPane = ({ targets = [], cursor, pane }: DeliverScreen, spec: JsonObject, room: Room): readonly Line[] => {
  const chosen = targetsIn(spec).map(({ target }) => target)
  const rows = targets.map((row) => targetLine(row, chosen, Array.isArray(spec.deliver)))
  return listView(rows, cursor, room, pane === 'targets')
}

/** A chosen target is marked; of several with its place in the list. */
const targetLine = ({ name, missing, home }: TargetRow, chosen: readonly string[], isList: boolean): Line => {
  const at = chosen.indexOf(name)
  const mark = at < 0 ? '( )' : isList ? `(${at + 1})` : '(o)'
  return line(
    cell(mark, 5, at < 0 ? 'dim' : 'strong'),
    cell(name, 16, at < 0 ? 'plain' : 'strong'),
    ' ',
    stateOf(missing),
    span(home === undefined ? '' : ` home ${home}`, 'dim'),
  )
}

const stateOf = (missing: string | undefined): Span => {
  if (missing === undefined) return cell('connected', 14, 'ok')
  return missing.startsWith('switched off') ? cell('off', 14, 'warn') : cell('not connected', 14, 'warn')
}

const settingsPane = (screen: DeliverScreen, spec: JsonObject, preview: World['preview'], { width, height }: Room): readonly Line[] => {
  const rows = settingRows(spec, screen.targets)
  const notes = notesOn(screen, spec).flatMap((text) => wrap(text, width).map((part) => line(span(part, 'warn'))))
  const help = helpOn(rows[screen.place], width)
  const list = listView(
    rows.map((row) => settingLine(row, Array.isArray(spec.deliver), extrasOf(preview))),
    screen.place,
    { width, height: Math.max(3, height - notes.length - help.length - 2) },
    screen.pane === 'settings',
  )
  return [...list, [], ...notes, ...(screen.pane === 'settings' ? help : [])]
}

/** What those lack that are chosen, and the target of the cursor. */
const notesOn = ({ targets = [], cursor, pane }: DeliverScreen, spec: JsonObject): readonly string[] => {
  const names = new Set(targetsIn(spec).map(({ target }) => target))
  const pointed = pane === 'targets' ? targets[cursor]?.name : undefined
  const known = new Set(targets.map(({ name }) => name))
  return [
    ...targets
      .filter(({ name, missing }) => missing !== undefined && (names.has(name) || name === pointed))
      .map(({ name, missing }) => `! ${name} is ${missing}`),
    ...[...names].filter((name) => !known.has(name)).map((name) => `! there is no target "${name}"`),
  ]
}

const helpOn = (row: SettingRow | undefined, width: number): readonly Line[] =>
  row?.kind === 'field' ? wrap(row.field.description, width).map((text) => line(span(text, 'dim'))) : []

type Extras = readonly (Json | undefined)[]

/** The settings on the payload, by the target's place. */
const extrasOf = (preview: World['preview']): Extras => {
  const extra = preview?.extra
  return Array.isArray(extra) ? extra : [extra]
}

const settingLine = (row: SettingRow, isList: boolean, extras: Extras): Line => {
  if (row.kind === 'mode') return line(cell('Mode', 20), span(`${row.mode}: ${modeTitles[row.mode] ?? ''}`))
  if (row.kind === 'none') return line(span(noneText(row), 'dim'))
  const { field, place, target } = row
  const isMissing = field.isRequired && field.value === undefined
  return line(
    span(field.isRequired ? '* ' : '  ', isMissing ? 'bad' : 'plain'),
    cell(`${isList ? `${target.name} ` : ''}${field.title}`, isList ? 28 : 18, isMissing ? 'bad' : 'plain'),
    ' ',
    span(isMissing ? 'required' : shownValue(field), field.value === undefined ? 'dim' : 'plain'),
    ...(field.idle === undefined ? expanded(row, extras[place]) : [span(` (${field.idle})`, 'warn')]),
  )
}

/** What a template is on the payload; `[?]` where nothing is filled in. */
const expanded = ({ field }: Extract<SettingRow, { kind: 'field' }>, extra: Json | undefined): readonly Span[] => {
  const { value, isSecret } = field
  const filled = isObject(extra) ? own(extra, keyOf(field)) : undefined
  if (isSecret || typeof value !== 'string' || !value.includes('{') || filled === undefined) return []
  return filled === value ? [span(' [?]', 'warn')] : [span(` → ${typeof filled === 'string' ? filled : JSON.stringify(filled)}`, 'ok')]
}
