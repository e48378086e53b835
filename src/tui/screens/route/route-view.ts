/** A route as a form, beside the trace of the payload through it. */

import type { Preview } from '../../../app/editor/desk.ts'
import { shownValue } from '../../../app/editor/form.ts'
import type { Json } from '../../../core/json.ts'
import type { World } from '../../model/screen.ts'
import { beside, cell, fit, type Line, line, type Span, span, wrap } from '../../view/line.ts'
import { listView, scrolledTo } from '../../view/list-view.ts'
import { type Room, screenView } from '../../view/screen-view.ts'
import { traceLines } from '../trace/trace-lines.ts'
import { type FieldRow, type FormRow, formRows, type SectionRow } from './form-rows.ts'
import { layoutOf } from './layout.ts'
import type { RouteScreen } from './route.ts'

const titleWidth = 22
export const routeView = screenView<RouteScreen>((screen, world, room) => {
  const { width, height } = room
  if (!world.draft) return []
  const { form, trace, yaml, isNarrow } = layoutOf(width)
  if (isNarrow) return screen.pane === 'form' ? formPane(screen, world, room) : tracePane(screen, world, room)
  const left = formPane(screen, world, { width: form, height })
  const right = tracePane(screen, world, { width: trace, height })
  if (yaml === 0) return beside(left, right, width, form)
  const text = wrappedYaml(world.preview, yaml).slice(0, height)
  return beside(left, beside(right, text, width - form - 3, trace), width, form)
})

const formPane = (screen: RouteScreen, { draft, preview }: World, { width, height }: Room): readonly Line[] => {
  if (!draft) return []
  const findings = findingLines(preview, width).slice(0, Math.max(3, Math.floor(height / 3)))
  const rows = formRows(draft.spec, screen.unfolded).map((row) => rowLine(row, preview, width))
  const form = listView(
    rows,
    screen.cursor,
    { width, height: height - findings.length - (findings.length > 0 ? 1 : 0) },
    screen.pane === 'form',
  )
  return [...form, ...(findings.length > 0 ? [[], ...findings] : [])]
}

const rowLine = (row: FormRow, preview: Preview | undefined, width: number): Line => {
  if (row.kind === 'mode')
    return line(
      cell('Mode', titleWidth),
      ...(['agent', 'direct', 'job'] as const).flatMap((mode) => [
        span(mode === row.mode ? '(o) ' : '( ) '),
        span(`${mode} `, mode === row.mode ? 'strong' : 'dim'),
      ]),
    )
  if (row.kind === 'section') return sectionLine(row, width)
  const { field, depth } = row
  const note = field.locked ?? field.idle
  const name = cell(`${'  '.repeat(depth)}${field.title}`, titleWidth, note === undefined ? 'plain' : 'dim')
  return line(
    name,
    ...marksOf(row, preview),
    span(shownIn(row), field.value === undefined ? 'dim' : 'plain'),
    ...(note === undefined ? [] : [span(` (${note})`, 'dim')]),
  )
}

const sectionLine = ({ name, isOpen, folded }: SectionRow, width: number): Line => {
  const left = isOpen ? '- ' : folded > 0 ? '+ ' : '  '
  const right = folded > 0 ? ` ${folded} not set` : ''
  const rule = Math.max(1, Math.min(width, 64) - left.length - name.length - right.length - 3)
  return line(span(left, 'accent'), span(`${name.toUpperCase()} `, 'accent'), span(`${'─'.repeat(rule)}${right}`, 'dim'))
}

/** A finding about a field is marked where it stands. */
const marksOf = (row: FormRow, preview: Preview | undefined): readonly Span[] => {
  if (row.kind !== 'field' || row.depth > 0) return []
  const key = String(row.field.path[0])
  const found = preview?.findings.find(({ pointer }) => pointer.split('/').includes(key))
  return found ? [span('! ', found.severity === 'error' ? 'bad' : 'warn')] : []
}

const shownIn = ({ field, isOpen }: FieldRow): string => {
  const { value, form } = field
  const set = value === undefined ? '-' : 'set'
  if (form === 'group') return isOpen === false ? `${set} ...` : set
  if (value === undefined)
    return field.default === undefined ? (field.isRequired ? '- needed' : '-') : `- (${JSON.stringify(field.default)})`
  const [key] = field.path
  if (key === 'filters') return counted(value, 'condition')
  if (key === 'tests') return counted(value, 'test')
  return shownValue(field)
}

const counted = (value: Json, what: string): string => {
  const count = Array.isArray(value) ? value.length : 1
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

const findingLines = (preview: Preview | undefined, width: number): readonly Line[] => [
  ...(preview?.refused === undefined
    ? []
    : wrap(`! this cannot be changed here: ${preview.refused}`, width).map((text) => line(span(text, 'bad')))),
  ...(preview?.findings ?? []).flatMap(({ code, severity, message, help }) =>
    wrap(`! ${code} ${message}${help === undefined ? '' : ` - ${help}`}`, width).map((text, i) =>
      line(span(i === 0 ? text : `  ${text}`, severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : 'dim')),
    ),
  ),
]

const tracePane = (screen: RouteScreen, world: World, { width, height }: Room): readonly Line[] =>
  scrolledTo(traceLines(world, width), screen.pane === 'trace' ? screen.scroll : 0, height).slice(0, height)

const wrappedYaml = (preview: Preview | undefined, width: number): readonly Line[] =>
  (preview?.yaml ?? '').split('\n').map((text) => fit([span(text)], width))
