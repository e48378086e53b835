/** What a route does, in a few lines: for who looks through the list. */

import { conditionRows } from '../../../app/editor/conditions.ts'
import { type Field, fieldsOf, shownValue } from '../../../app/editor/form.ts'
import { headKeys, sectionOf, sections } from '../../../app/editor/sections.ts'
import { cell, type Line, line, span, wrap } from '../../view/line.ts'
import { conditionText } from '../filters/condition-text.ts'
import type { RouteLine } from './rows.ts'

const titleWidth = 18
/** A long value is cut: the form has all of it. */
const maxLines = 4

export const previewLines = (row: RouteLine, width: number): readonly Line[] => {
  const { name, source, mode, description, change, spec } = row
  const where = source === 'config' ? 'config.yaml' : 'subscription'
  const state = change === undefined ? '' : `, ${change}, not saved`
  return [
    line(span(name, 'strong'), span(`  ${[where, mode].filter(Boolean).join(', ')}${state}`, 'dim')),
    ...(description === '' ? [] : wrap(description, width).map((text) => line(span(text, 'dim')))),
    ...findingLines(row, width),
    ...fieldsShown(spec).flatMap((field) => fieldLines(field, spec, width)),
    ...cameLines(row),
  ]
}

/** In the order of the form. */
const fieldsShown = (spec: RouteLine['spec']): readonly Field[] => {
  const isShown = ({ value, path: [key] }: Field): boolean => isSet(value) && key !== 'description' && key !== 'deliver_only'
  const set = fieldsOf(spec).filter(isShown)
  const ofSections = sections.flatMap(({ name, main }) => {
    const placeOf = ({ path: [key] }: Field): number => (main.includes(String(key)) ? main.indexOf(String(key)) : main.length)
    return set.filter((field) => !isHead(field) && sectionOf(field) === name).sort((a, b) => placeOf(a) - placeOf(b))
  })
  return [...ofSections, ...set.filter(isHead)]
}

const isSet = (value: Field['value']): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0)

const isHead = ({ path: [key] }: Field): boolean => headKeys.includes(String(key))

const fieldLines = (field: Field, spec: RouteLine['spec'], width: number): readonly Line[] => {
  const all = shownIn(field, spec, width - titleWidth - 3)
  return all.slice(0, maxLines).map((text, i) => {
    const isCut = i === maxLines - 1 && all.length > maxLines
    return line(cell(i === 0 ? field.title : '', titleWidth, 'dim'), ' ', span(isCut ? `${text} …` : text))
  })
}

const shownIn = (field: Field, spec: RouteLine['spec'], width: number): readonly string[] => {
  const [key] = field.path
  if (key === 'filters') return conditionRows(spec).map((row) => `${'  '.repeat(row.depth)}${conditionText(row)}`)
  if (key === 'tests') return [String(Array.isArray(field.value) ? field.value.length : 1)]
  return wrap(shownValue(field).trimEnd(), width)
}

const findingLines = ({ findings }: RouteLine, width: number): readonly Line[] =>
  findings.flatMap(({ code, severity, message }) =>
    wrap(`! ${code} ${message}`, width).map((text, i) =>
      line(span(i === 0 ? text : `  ${text}`, severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : 'dim')),
    ),
  )

const cameLines = ({ recorded, lastAt }: RouteLine): readonly Line[] => {
  if (recorded === 0) return []
  const last = lastAt === undefined ? '' : `, last ${new Date(lastAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return [line(cell('Came', titleWidth, 'dim'), ' ', span(`${recorded} event${recorded === 1 ? '' : 's'}${last}`))]
}
