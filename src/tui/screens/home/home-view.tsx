/** Shows the home screen: the list of all routes with its headings, and a preview of the route of the cursor. */

import { Box } from 'ink'
import { cutOrPad } from '../../model/cells.ts'
import type { ListArea } from '../../model/list.ts'
import type { Tone } from '../../model/remark.ts'
import { barWidth } from '../../model/room.ts'
import type { World } from '../../model/screen.ts'
import { FilterLine, NoRows } from '../../view/filter.tsx'
import { List } from '../../view/list.tsx'
import { Beside, Pane } from '../../view/pane.tsx'
import { Remarks } from '../../view/remarks.tsx'
import { Row, Rows } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import { Span } from '../../view/span.tsx'
import type { HomeScreen } from './home.ts'
import { hasSearchLine, homeLayout, problemRemarks } from './layout.ts'
import { RoutePreview } from './route-preview.tsx'
import { type RouteLine, routeLines } from './rows.ts'

export const HomeView = ({ screen, world, room }: ScreenProps<HomeScreen>) => {
  const { preview, list, previewHeight } = homeLayout(screen, world, room)
  const { width, height } = room
  const routes = <RouteList screen={screen} world={world} area={list} />
  const row = routeLines(screen, world)[screen.cursor]
  if (!row || preview === 'none') return routes
  if (preview === 'beside')
    return (
      <Beside room={room} left={list.width}>
        {routes}
        <RoutePreview row={row} width={width - list.width - barWidth} />
      </Beside>
    )
  return (
    <>
      <Pane height={height - previewHeight - 1}>{routes}</Pane>
      <Box borderStyle="single" borderDimColor borderBottom={false} borderLeft={false} borderRight={false} flexDirection="column">
        <Pane height={previewHeight}>
          <RoutePreview row={row} width={width} />
        </Pane>
      </Box>
    </>
  )
}

type ListProps = { readonly screen: HomeScreen; readonly world: World; readonly area: ListArea }

const RouteList = ({ screen, world, area }: ListProps) => {
  const { home } = world
  if (!home) return <Rows of={['reading the routes …']} tone="dim" />
  const rows = routeLines(screen, world)
  const columns = columnsOf(area.width)
  return (
    <>
      <Remarks of={problemRemarks(world)} />
      {hasSearchLine(screen) && <FilterLine of={screen} width={area.width} />}
      {rows.length > 0 ? (
        <>
          <Headings columns={columns} />
          <List rows={rows} area={area}>
            {(row) => <RouteRow row={row} columns={columns} />}
          </List>
        </>
      ) : (
        <NoRows of={screen} without="no routes yet: a adds one" />
      )}
    </>
  )
}

type Columns = { readonly name: number; readonly events: number; readonly deliver: number }

const columnsOf = (width: number): Columns => {
  const events = width < 90 ? 0 : 18
  return { name: Math.max(14, Math.min(32, Math.floor(width * 0.24))), events, deliver: width <= 60 ? 13 : width < 80 ? 14 : 18 }
}

const Headings = ({ columns: { name, events, deliver } }: { readonly columns: Columns }) => (
  <Row>
    <Span tone="dim">
      {`  ${cutOrPad('NAME', name)} ${cutOrPad('IN', 4)}${cutOrPad('MODE', 9)}${cutOrPad('EVENTS', events)}${cutOrPad('DELIVER', deliver)} ${cutOrPad('STATE', 12)}CAME`}
    </Span>
  </Row>
)

const RouteRow = ({ row, columns: { name, events, deliver } }: { readonly row: RouteLine; readonly columns: Columns }) => {
  const [state, tone] = stateText(row)
  const sent = row.events.length === 0 ? '*' : row.events.join(', ')
  return (
    <>
      <Span tone="strong">{cutOrPad(row.name, name)}</Span>
      <Span tone="dim">{` ${cutOrPad(row.source === 'config' ? 'cfg' : 'sub', 4)}`}</Span>
      <Span>{`${cutOrPad(row.mode, 9)}${cutOrPad(sent, events)}${cutOrPad(row.deliver, deliver)} `}</Span>
      <Span tone={tone}>{cutOrPad(state, 12)}</Span>
      <Span tone="dim">{row.recorded > 0 ? String(row.recorded) : ''}</Span>
    </>
  )
}

/** Returns the state of a route in a word or two, and its tone. A star marks changes that are not saved. */
const stateText = ({ enabled, pause, shadowed, errors, warnings, change }: RouteLine): readonly [string, Tone] => {
  if (change !== undefined) return [`*${change.replace('switched ', '')}`, 'warn']
  if (shadowed) return ['SHADOWED', 'warn']
  if (!enabled) return ['disabled', 'dim']
  if (pause) return [pause.isHold ? `held ${pause.heldRuns ?? ''}`.trimEnd() : 'paused', 'warn']
  if (errors > 0) return [`${errors} error${errors > 1 ? 's' : ''}`, 'bad']
  return warnings > 0 ? [`${warnings} warning${warnings > 1 ? 's' : ''}`, 'warn'] : ['ok', 'ok']
}
