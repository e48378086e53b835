/** Shows the details of the event of the cursor: the names of the panes, and one of the panes. */

import type { TrafficLine } from '../../../generated/control.ts'
import { cutOrPad, wrap } from '../../model/cells.ts'
import type { Room } from '../../model/room.ts'
import { List } from '../../view/list.tsx'
import { Pane } from '../../view/pane.tsx'
import { Row, Rows } from '../../view/row.tsx'
import { Span } from '../../view/span.tsx'
import { TraceList } from '../trace/trace-list.tsx'
import { stageRows } from '../trace/trace-rows.ts'
import { detailOf, eventAt, type LiveScreen, livePanes } from './live.ts'

type Props = { readonly screen: LiveScreen; readonly room: Room }

export const LiveDetail = ({ screen, room }: Props) => (
  <Pane {...room}>
    <Row>
      {livePanes.map((pane) => (
        <Span key={pane} tone={pane === screen.pane ? 'strong' : 'dim'} inverse={pane === screen.pane}>
          {` ${pane} `}
        </Span>
      ))}
    </Row>
    <ShownPane screen={screen} room={{ ...room, height: room.height - 1 }} />
  </Pane>
)

const ShownPane = ({ screen, room: { width, height } }: Props) => {
  const { pane, events, cursor, row } = screen
  const shown = detailOf(screen)
  if (pane === 'Delivery') return events[cursor]?.lines.map((line) => <Delivery key={lineKey(line)} line={line} width={width} />)
  if (!eventAt(screen)) return <Rows of={['this request left no record']} tone="dim" />
  if (!shown) return <Rows of={['enter looks at it']} tone="dim" />
  const { trace, payload } = shown
  if (pane === 'Trace') {
    if (!trace) return <Rows of={['…']} tone="dim" />
    return <TraceList rows={trace.stages.flatMap((stage, i) => stageRows(stage, i, trace, width)).slice(0, height)} />
  }
  if (!payload) return <Rows of={['…']} tone="dim" />
  if (pane === 'Headers') {
    const lines = Object.entries(payload.headers).flatMap(([name, value]) => wrap(`${name}: ${value}`, width))
    return <Rows of={lines.slice(0, height)} />
  }
  return (
    <List rows={payload.values} area={{ width, height, cursor: row }}>
      {({ path, shown: value }) => (
        <>
          <Span>{`${cutOrPad(path, Math.floor(width * 0.5))} `}</Span>
          <Span tone="dim">{value}</Span>
        </>
      )}
    </List>
  )
}

const lineKey = (line: TrafficLine): string => JSON.stringify(line)

const Delivery = ({ line, width }: { readonly line: TrafficLine; readonly width: number }) => {
  if (line.type !== 'delivery') return undefined
  const { at, attempt, state, target, job, error, next_at } = line
  const to = target ?? job ?? ''
  const again = next_at === null ? '' : `, again at ${next_at.slice(11, 19)}`
  const text = `${at.slice(11, 19)} attempt ${attempt} ${to} ${state}${error === null ? '' : `: ${error}`}${again}`
  return <Rows of={wrap(text, width)} tone={state === 'done' ? 'ok' : 'warn'} />
}
