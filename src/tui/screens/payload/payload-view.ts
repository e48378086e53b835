/** The groups, the rows of one of them, and where there is room the payload as it is now. */

import type { PayloadRow } from '../../../app/editor/desk.ts'
import { jsonProblem } from '../../../app/editor/payload/json-problem.ts'
import type { World } from '../../model/screen.ts'
import { fieldView, linesView } from '../../view/field-view.ts'
import { beside, cell, type Line, line, span, wrap } from '../../view/line.ts'
import { longListView, positionOf } from '../../view/list-view.ts'
import { type Room, screenView } from '../../view/screen-view.ts'
import { type Group, groups, type PayloadScreen, promptOf, rowsOf } from './payload.ts'

/** From this width on the current payload stands beside the list. */
const wide = 110

export const payloadView = screenView<PayloadScreen>((screen, world, room) => {
  const { width, height } = room
  const { group, isFinding, search } = screen
  const isSearched = isFinding || search.text !== ''
  const head: Line[] = [tabs(screen, height), isSearched ? line(span('filter ', 'dim'), ...fieldView(search, width - 10)) : []]
  const rest = { width, height: height - head.length }
  if (group === 'paste') return [...head, ...pasteView(screen, rest)]
  if (group === 'file' || group === 'edit') return [...head, ...wrap(promptOf[group], width).map((text) => line(span(text, 'dim')))]
  if (width < wide) return [...head, ...listed(screen, rest)]
  const left = Math.floor(width * 0.55)
  const body = bodyLines(world, rest)
  return [...head, ...beside(listed(screen, { ...rest, width: left }), body, width, left)]
})

const titles: { readonly [group in Group]: string } = {
  samples: 'Samples',
  recorded: 'Recorded',
  file: 'File',
  paste: 'Paste JSON',
  edit: 'Edit current',
}

/** The one that is shown stands in brackets. */
const tabs = (screen: PayloadScreen, height: number): Line => {
  const { group, all, cursor } = screen
  const countOf = (each: Group): string =>
    each === 'samples' || each === 'recorded' ? ` ${all ? all.filter((row) => row.group === each).length : '…'}` : ''
  return line(
    ...groups.map((each) => {
      const text = `${titles[each]}${countOf(each)}`
      return each === group ? span(`[${text}] `, 'strong') : span(` ${text}  `, 'dim')
    }),
    span(` ${positionOf(cursor, rowsOf(screen).length, height - 2)}`, 'dim'),
  )
}

const listed = (screen: PayloadScreen, room: Room): readonly Line[] => {
  const rows = rowsOf(screen)
  if (rows.length > 0) return longListView(rows, (row) => rowLine(row, room.width), screen.cursor, room)
  return [line(span(noneOf(screen), 'dim'))]
}

const noneOf = ({ all, group, search }: PayloadScreen): string => {
  if (!all) return 'reading …'
  if (search.text !== '') return 'nothing fits the filter'
  return group === 'recorded' ? 'no event of this route was recorded with its payload' : 'no samples'
}

const rowLine = ({ title, detail, fits }: PayloadRow, width: number): Line =>
  line(cell(title, Math.min(40, Math.floor(width * 0.5))), ' ', cell(fits ? 'fits' : '-', 5, fits ? 'ok' : 'dim'), span(detail, 'dim'))

const pasteView = ({ pasted }: PayloadScreen, { width, height }: Room): readonly Line[] => {
  if (pasted.text === '') return [line(...fieldView(pasted, width)), line(span(promptOf.paste, 'dim'))]
  const problem = jsonProblem(pasted.text)
  const state = problem === undefined ? span(`JSON, ${pasted.text.length} characters: enter takes it`, 'ok') : span(`! ${problem}`, 'warn')
  return [line(state), ...linesView(pasted, { width, height: height - 1 })]
}

/** So much of a body is looked at for a frame. */
const maxLooked = 20_000

const bodyLines = ({ payload }: World, { height }: Room): readonly Line[] =>
  payload
    ? [
        line(span(`${payload.title}, ${payload.bytes} bytes`, 'strong')),
        ...payload.body
          .slice(0, maxLooked)
          .split('\n')
          .slice(0, height - 1)
          .map((text) => line(span(text, 'dim'))),
      ]
    : [line(span('no payload is chosen', 'dim'))]
