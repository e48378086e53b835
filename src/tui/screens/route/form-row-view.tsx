/** Shows a row of the form: a field with its value, the mode, or the heading of a section. */

import type { Json } from '../../../core/json.ts'
import { shownValue } from '../../../edit/form.ts'
import type { Preview } from '../../../edit/service.ts'
import { cutOrPad } from '../../model/cells.ts'
import { toneOf } from '../../model/remark.ts'
import { Span } from '../../view/span.tsx'
import { type FieldRow, type FormRow, noteOf, type SectionRow } from './form-rows.ts'

const titleWidth = 22

type Props = { readonly row: FormRow; readonly preview: Preview | undefined; readonly width: number }

/** Shows one row of the form. `preview`: the latest preview, whose findings mark rows. */
export const FormRowView = ({ row, preview, width }: Props) => {
  switch (row.kind) {
    case 'mode':
      return <ModeRow {...row} />
    case 'section':
      return <SectionHeading section={row} width={width} />
    case 'field':
      return <FieldLine row={row} preview={preview} />
  }
}

const ModeRow = ({ mode }: Extract<FormRow, { kind: 'mode' }>) => (
  <>
    <Span>{cutOrPad('Mode', titleWidth)}</Span>
    {(['agent', 'direct', 'job'] as const).map((each) => (
      <Span key={each} tone={each === mode ? 'strong' : 'dim'}>{`${each === mode ? '(o)' : '( )'} ${each} `}</Span>
    ))}
  </>
)

const SectionHeading = ({ section: { name, isOpen, folded }, width }: { readonly section: SectionRow; readonly width: number }) => {
  const left = isOpen ? '- ' : folded > 0 ? '+ ' : '  '
  const right = folded > 0 ? ` ${folded} not set` : ''
  const rule = Math.max(1, Math.min(width, 64) - left.length - name.length - right.length - 3)
  return (
    <>
      <Span tone="accent">{`${left}${name.toUpperCase()} `}</Span>
      <Span tone="dim">{`${'─'.repeat(rule)}${right}`}</Span>
    </>
  )
}

const FieldLine = ({ row, preview }: { readonly row: FieldRow; readonly preview: Preview | undefined }) => {
  const { field, depth } = row
  const note = noteOf(field, preview)
  const found = findingOf(row, preview)
  return (
    <>
      <Span tone={note === undefined ? 'plain' : 'dim'}>{cutOrPad(`${'  '.repeat(depth)}${field.title}`, titleWidth)}</Span>
      {found && <Span tone={toneOf(found.severity)}>{'! '}</Span>}
      <Span tone={field.value === undefined ? 'dim' : 'plain'}>{valueText(row)}</Span>
      <Span tone="dim">{note === undefined ? '' : ` (${note})`}</Span>
    </>
  )
}

/** Returns the first finding about a field of the route itself, to mark its row. Members of groups are not marked. */
const findingOf = ({ field, depth }: FieldRow, preview: Preview | undefined) => {
  if (depth > 0) return undefined
  const key = String(field.path[0])
  return preview?.findings.find(({ pointer }) => pointer.split('/').includes(key))
}

const valueText = ({ field, isOpen }: FieldRow): string => {
  const { value, form } = field
  const set = value === undefined ? '-' : 'set'
  if (form === 'group') return isOpen === false ? `${set} ...` : set
  if (value === undefined)
    return field.default === undefined ? (field.isRequired ? '- needed' : '-') : `- (${JSON.stringify(field.default)})`
  const [key] = field.path
  if (key === 'filters') return countText(value, 'condition')
  if (key === 'tests') return countText(value, 'test')
  return shownValue(field)
}

const countText = (value: Json, what: string): string => {
  const count = Array.isArray(value) ? value.length : 1
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
