/** Shows in a few lines what a route does, for a user who looks through the list. */

import { conditionRows } from '../../../edit/conditions.ts'
import { type FormField, formFields, shownValue } from '../../../edit/form.ts'
import { headKeys, sectionOf, sections } from '../../../edit/sections.ts'
import { pauseText } from '../../../features/pauses/pause-text.ts'
import { cutOrPad, wrap } from '../../model/cells.ts'
import { findingRemark, type Remark } from '../../model/remark.ts'
import { Remarks } from '../../view/remarks.tsx'
import { Row } from '../../view/row.tsx'
import { Span } from '../../view/span.tsx'
import { conditionText } from '../filters/condition-text.ts'
import type { RouteLine } from './rows.ts'

const titleWidth = 18
/** The most lines of a value. A longer value is cut, because the user may open the route to see all of it. */
const maxLines = 4

type Props = { readonly row: RouteLine; readonly width: number }

export const RoutePreview = ({ row, width }: Props) => {
  const { name, source, file = 'config.yaml', mode, description, change, spec, findings, pause } = row
  const where = source === 'config' ? file : 'subscription'
  const state = change === undefined ? '' : `, ${change}, not saved`
  const about: readonly Remark[] = [
    ...(pause ? [{ text: `${pauseText(pause)}: headgate webhook resume ${name}`, tone: 'warn' } as const] : []),
    ...(description === '' ? [] : [{ text: description, tone: 'dim' } as const]),
  ]
  const came = cameText(row)
  return (
    <>
      <Row>
        <Span tone="strong">{name}</Span>
        <Span tone="dim">{`  ${[where, mode].filter(Boolean).join(', ')}${state}`}</Span>
      </Row>
      <Remarks of={[...about, ...findings.map(findingRemark)]} />
      {fieldsShown(spec).map((field) => (
        <Value key={field.path.join('.')} title={field.title} lines={fieldLines(field, spec, width - titleWidth - 3)} />
      ))}
      {came !== undefined && <Value title="Came" lines={[came]} />}
    </>
  )
}

/** Returns the fields to show: those of the sections, the main fields first, and then those that stand above all sections in the form. */
const fieldsShown = (spec: RouteLine['spec']): readonly FormField[] => {
  const isShown = ({ value, path: [key] }: FormField): boolean => isSet(value) && key !== 'description' && key !== 'deliver_only'
  const set = formFields(spec).filter(isShown)
  const ofSections = sections.flatMap(({ name, main }) => {
    const placeOf = ({ path: [key] }: FormField): number => (main.includes(String(key)) ? main.indexOf(String(key)) : main.length)
    return set.filter((field) => !isHead(field) && sectionOf(field) === name).sort((a, b) => placeOf(a) - placeOf(b))
  })
  return [...ofSections, ...set.filter(isHead)]
}

const isSet = (value: FormField['value']): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0)

const isHead = ({ path: [key] }: FormField): boolean => headKeys.includes(String(key))

const Value = ({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) =>
  lines
    .slice(0, maxLines)
    .map((text, at) => ({ text: at === maxLines - 1 && lines.length > maxLines ? `${text} …` : text, at }))
    .map(({ text, at }) => (
      <Row key={at}>
        <Span tone="dim">{cutOrPad(at === 0 ? title : '', titleWidth)}</Span>
        <Span>{` ${text}`}</Span>
      </Row>
    ))

const fieldLines = (field: FormField, spec: RouteLine['spec'], width: number): readonly string[] => {
  const [key] = field.path
  if (key === 'filters') return conditionRows(spec).map((row) => `${'  '.repeat(row.depth)}${conditionText(row)}`)
  if (key === 'tests') return [String(Array.isArray(field.value) ? field.value.length : 1)]
  return wrap(shownValue(field).trimEnd(), width)
}

const cameText = ({ recorded, lastAt }: RouteLine): string | undefined => {
  if (recorded === 0) return undefined
  const last = lastAt === undefined ? '' : `, last ${new Date(lastAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return `${recorded} event${recorded === 1 ? '' : 's'}${last}`
}
