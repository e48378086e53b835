/** Shows the payload screen: the names of the groups, the rows of one group, and the current payload if there is room. */

import { jsonProblem } from '../../../core/json-error.ts'
import type { PayloadRow } from '../../../edit/service.ts'
import { cutOrPad } from '../../model/cells.ts'
import { type ListArea, shownRange } from '../../model/list.ts'
import { isNarrowing } from '../../model/narrowing.ts'
import { markedRemark, type Remark } from '../../model/remark.ts'
import type { Room } from '../../model/room.ts'
import type { World } from '../../model/screen.ts'
import { Field, FieldRows } from '../../view/field.tsx'
import { FilterLine, NoRows } from '../../view/filter.tsx'
import { List } from '../../view/list.tsx'
import { Beside } from '../../view/pane.tsx'
import { Remarks } from '../../view/remarks.tsx'
import { Gap, Row, Rows } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import { Span } from '../../view/span.tsx'
import { headRows, payloadLayout } from './layout.ts'
import { groupHints, hasRows, type PayloadGroup, type PayloadScreen, payloadGroups, shownPayloadRows } from './payload.ts'

export const PayloadView = ({ screen, world, room }: ScreenProps<PayloadScreen>) => {
  return (
    <>
      <Tabs screen={screen} room={room} />
      {isNarrowing(screen) || screen.search.text !== '' ? <FilterLine of={screen} width={room.width} /> : <Gap />}
      <GroupBody screen={screen} world={world} room={room} />
    </>
  )
}

const titles: { readonly [group in PayloadGroup]: string } = {
  samples: 'Samples',
  recorded: 'Recorded',
  file: 'File',
  paste: 'Paste JSON',
  edit: 'Edit current',
}

/** Shows the names of the groups. The name of the group that is shown has brackets. */
const Tabs = ({ screen, room }: { readonly screen: PayloadScreen; readonly room: Room }) => {
  const { group, all, cursor } = screen
  const countOf = (each: PayloadGroup): string => (hasRows(each) ? ` ${all ? all.filter((row) => row.group === each).length : '…'}` : '')
  const { list } = payloadLayout(cursor, shownPayloadRows(screen).length, room)
  return (
    <Row>
      {payloadGroups.map((each) => (
        <Span key={each} tone={each === group ? 'strong' : 'dim'}>
          {each === group ? `[${titles[each]}${countOf(each)}] ` : ` ${titles[each]}${countOf(each)}  `}
        </Span>
      ))}
      <Span tone="dim">{` ${shownRange(list)}`}</Span>
    </Row>
  )
}

const GroupBody = ({ screen, world, room }: ScreenProps<PayloadScreen>) => {
  const { group, pasted, cursor, all } = screen
  const rest = { width: room.width, height: room.height - headRows }
  if (group === 'paste') return pasted.text === '' ? <EmptyPaste screen={screen} room={rest} /> : <Pasted screen={screen} room={rest} />
  if (!hasRows(group)) return <Remarks of={[{ text: groupHints[group], tone: 'dim' }]} />
  if (!all) return <Rows of={['reading …']} tone="dim" />
  const rows = shownPayloadRows(screen)
  const { list, body } = payloadLayout(cursor, rows.length, room)
  const listed =
    rows.length > 0 ? (
      <List rows={rows} area={list}>
        {(row) => <PayloadRowView row={row} area={list} />}
      </List>
    ) : (
      <NoRows of={screen} without={group === 'recorded' ? 'no event of this route was recorded with its payload' : 'no samples'} />
    )
  if (!body) return listed
  return (
    <Beside room={rest} left={list.width}>
      {listed}
      <Body payload={world.payload} height={body.height} />
    </Beside>
  )
}

const PayloadRowView = ({ row: { title, detail, fits }, area: { width } }: { readonly row: PayloadRow; readonly area: ListArea }) => (
  <>
    <Span>{`${cutOrPad(title, Math.min(40, Math.floor(width * 0.5)))} `}</Span>
    <Span tone={fits ? 'ok' : 'dim'}>{cutOrPad(fits ? 'fits' : '-', 5)}</Span>
    <Span tone="dim">{detail}</Span>
  </>
)

type PasteProps = { readonly screen: PayloadScreen; readonly room: Room }

const EmptyPaste = ({ screen: { pasted }, room: { width } }: PasteProps) => (
  <>
    <Row>
      <Field field={pasted} width={width} />
    </Row>
    <Rows of={[groupHints.paste]} tone="dim" />
  </>
)

const Pasted = ({ screen: { pasted }, room: { width, height } }: PasteProps) => {
  const problem = jsonProblem(pasted.text)
  const state: Remark =
    problem === undefined ? { text: `JSON, ${pasted.text.length} characters: enter takes it`, tone: 'ok' } : markedRemark(problem, 'warn')
  return (
    <>
      <Remarks of={[state]} />
      <FieldRows field={pasted} room={{ width, height: height - 1 }} />
    </>
  )
}

/** The most code units of a body that are read for a frame. */
const maxBodyUnits = 20_000

const Body = ({ payload, height }: { readonly payload: World['payload']; readonly height: number }) => {
  if (!payload) return <Rows of={['no payload is chosen']} tone="dim" />
  const lines = payload.body.slice(0, maxBodyUnits).split('\n')
  return (
    <>
      <Rows of={[`${payload.title}, ${payload.bytes} bytes`]} tone="strong" />
      <Rows of={lines.slice(0, height - 1)} tone="dim" />
    </>
  )
}
