/** Shows a setting of a target, with its template filled in from the payload. */

import { isObject, type Json, own } from '../../../core/json.ts'
import { shownValue } from '../../../edit/form.ts'
import { cutOrPad } from '../../model/cells.ts'
import { Span } from '../../view/span.tsx'
import { modeTitles, noSettingsText, type SettingRow, settingKey } from './settings.ts'

type FieldSetting = Extract<SettingRow, { kind: 'field' }>

type Props = {
  readonly row: SettingRow
  readonly isList: boolean
  /** The settings of each target of the route, in the order of the targets, filled in from the payload. */
  readonly extras: readonly (Json | undefined)[]
}

/** Shows one row of the pane of settings. `isList`: the route has a list of targets, so each row names its target. */
export const SettingRowView = ({ row, isList, extras }: Props) => {
  if (row.kind === 'mode') return <Span>{`${cutOrPad('Mode', 20)}${row.mode}: ${modeTitles[row.mode] ?? ''}`}</Span>
  if (row.kind === 'none') return <Span tone="dim">{noSettingsText(row)}</Span>
  const { field, place, target } = row
  const isMissing = field.isRequired && field.value === undefined
  const title = cutOrPad(`${isList ? `${target.name} ` : ''}${field.title}`, isList ? 28 : 18)
  return (
    <>
      <Span tone={isMissing ? 'bad' : 'plain'}>{`${field.isRequired ? '* ' : '  '}${title} `}</Span>
      <Span tone={field.value === undefined ? 'dim' : 'plain'}>{isMissing ? 'required' : shownValue(field)}</Span>
      {field.idle === undefined ? <Expanded row={row} extra={extras[place]} /> : <Span tone="warn">{` (${field.idle})`}</Span>}
    </>
  )
}

/** Shows what a template becomes with the payload. `[?]` stands for a template that is the same after the filling in. */
const Expanded = ({ row: { field }, extra }: { readonly row: FieldSetting; readonly extra: Json | undefined }) => {
  const { value, isSecret } = field
  const filled = isObject(extra) ? own(extra, settingKey(field)) : undefined
  if (isSecret || typeof value !== 'string' || !value.includes('{') || filled === undefined) return undefined
  if (filled === value) return <Span tone="warn"> [?]</Span>
  return <Span tone="ok">{` → ${typeof filled === 'string' ? filled : JSON.stringify(filled)}`}</Span>
}
