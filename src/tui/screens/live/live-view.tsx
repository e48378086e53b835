/** Shows the live screen: the events as a list, and the detail of the event of the cursor beside the list. */

import { cutOrPad } from '../../model/cells.ts'
import { List } from '../../view/list.tsx'
import { Beside } from '../../view/pane.tsx'
import { Gap, Row, Rows } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import { Span } from '../../view/span.tsx'
import { type EventColumns, EventRowView } from './event-row-view.tsx'
import { liveLayout } from './layout.ts'
import type { LiveScreen } from './live.ts'
import { LiveDetail } from './live-detail.tsx'

export const LiveView = ({ screen, room }: ScreenProps<LiveScreen>) => {
  const { events, cursor, state, why = 'looking for the gateway …' } = screen
  if (events.length === 0) return <Rows of={[state === 'open' ? 'waiting for requests …' : why]} tone="dim" />
  const { isWide, list, detail } = liveLayout(cursor, events.length, room)
  const columns = columnsOf(list.width)
  const rows = (
    <>
      <Headings columns={columns} />
      <List rows={events} area={list}>
        {(event) => <EventRowView event={event} columns={columns} />}
      </List>
    </>
  )
  const shown = <LiveDetail screen={screen} room={detail} />
  if (isWide)
    return (
      <Beside room={room} left={list.width}>
        {rows}
        {shown}
      </Beside>
    )
  return (
    <>
      {rows}
      <Gap />
      {shown}
    </>
  )
}

const columnsOf = (width: number): EventColumns => ({
  route: Math.max(8, Math.floor(width * 0.22)),
  event: Math.max(6, Math.floor(width * 0.18)),
})

const Headings = ({ columns: { route, event } }: { readonly columns: EventColumns }) => (
  <Row>
    <Span tone="dim">{`  ${cutOrPad('TIME', 9)}${cutOrPad('ROUTE', route)} ${cutOrPad('EVENT', event)} ANSWER`}</Span>
  </Row>
)
