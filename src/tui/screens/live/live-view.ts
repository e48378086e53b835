/** The events as a list, and the detail of one beside it. */

import type { PayloadValue } from '../../../app/editor/desk.ts'
import type { TrafficLine } from '../../../generated/control.ts'
import { beside, cell, type Line, line, type Span, span, wrap } from '../../view/line.ts'
import { longListView } from '../../view/list-view.ts'
import { type Room, screenView } from '../../view/screen-view.ts'
import { stageLines } from '../trace/trace-lines.ts'
import { detailOf, eventAt, type LiveEvent, type LiveScreen, livePanes } from './live.ts'

const wide = 90

export const liveView = screenView<LiveScreen>((screen, _world, { width, height }) => {
  const { events, cursor, state } = screen
  if (events.length === 0)
    return [line(span(state === 'open' ? 'waiting for requests …' : (screen.why ?? 'looking for the gateway …'), 'dim'))]
  const isWide = width >= wide
  const left = isWide ? Math.floor(width * 0.45) : width
  const above = isWide ? height : Math.floor(height / 2)
  const list = [headOf(left), ...longListView(events, (each) => rowOf(each, left), cursor, { width: left, height: above - 1 })]
  const detail = detailLines(screen, { width: isWide ? width - left - 3 : width, height: isWide ? height : height - above - 1 })
  return isWide ? beside(list, detail, width, left) : [...list, [], ...detail]
})

const columnsOf = (width: number) => ({ route: Math.max(8, Math.floor(width * 0.22)), event: Math.max(6, Math.floor(width * 0.18)) })

const headOf = (width: number): Line => {
  const { route, event } = columnsOf(width)
  return line(span(`  ${'TIME'.padEnd(9)}${'ROUTE'.padEnd(route)} ${'EVENT'.padEnd(event)} ANSWER`, 'dim'))
}

const rowOf = ({ lines }: LiveEvent, width: number): Line => {
  const { route, event } = columnsOf(width)
  const [first] = lines
  const outcome = lines.find((each) => each.type === 'outcome')
  const delivery = lines.findLast((each) => each.type === 'delivery')
  return line(
    span(`${first?.at.slice(11, 19) ?? ''} `, 'dim'),
    cell(first?.route ?? '-', route, 'strong'),
    ' ',
    cell(first?.event_type ?? '-', event),
    ' ',
    ...(outcome ? [outcomeSpan(outcome)] : [span('…', 'dim')]),
    ...(delivery ? [span(` ${delivery.state}`, delivery.state === 'done' ? 'ok' : delivery.state === 'dead' ? 'bad' : 'warn')] : []),
  )
}

const outcomeSpan = ({ outcome, status, reason }: Extract<TrafficLine, { type: 'outcome' }>): Span =>
  span(
    `${status ?? ''} ${outcome}${reason === null ? '' : `: ${reason}`}`,
    (status ?? 500) >= 400 ? 'bad' : outcome === 'ignored' || outcome === 'duplicate' ? 'warn' : 'ok',
  )

const detailLines = (screen: LiveScreen, { width, height }: Room): readonly Line[] => {
  const head = line(
    ...livePanes.map((pane) => span(` ${pane} `, pane === screen.pane ? 'strong' : 'dim', pane === screen.pane ? { inverse: true } : {})),
  )
  return [head, ...paneOf(screen, { width, height: height - 1 })].slice(0, height)
}

const paneOf = (screen: LiveScreen, room: Room): readonly Line[] => {
  const { pane, events, cursor, row } = screen
  const shown = detailOf(screen)
  const { width } = room
  if (pane === 'Delivery') return (events[cursor]?.lines ?? []).flatMap((each) => deliveryLines(each, width))
  if (!eventAt(screen)) return [line(span('this request left no record', 'dim'))]
  if (!shown) return [line(span('enter looks at it', 'dim'))]
  if (pane === 'Trace') {
    if (!shown.trace) return [line(span('…', 'dim'))]
    const { trace } = shown
    return trace.stages.flatMap((stage, i) => stageLines(stage, i, trace, width))
  }
  if (!shown.payload) return [line(span('…', 'dim'))]
  const { headers, values } = shown.payload
  if (pane === 'Headers')
    return Object.entries(headers).flatMap(([name, value]) => wrap(`${name}: ${value}`, width).map((text) => line(text)))
  const valueLine = ({ path, shown: value }: PayloadValue): Line => line(cell(path, Math.floor(width * 0.5)), ' ', span(value, 'dim'))
  // Where the cursor of the screen is, an event, a click is for.
  return longListView(values, valueLine, row, room).map((spans) => spans.map(({ row: _, ...each }) => each))
}

const deliveryLines = (each: TrafficLine, width: number): readonly Line[] => {
  if (each.type !== 'delivery') return []
  const { at, attempt, state, target, job, error, next_at } = each
  const to = target ?? job ?? ''
  const text = `${at.slice(11, 19)} attempt ${attempt} ${to} ${state}${error === null ? '' : `: ${error}`}${next_at === null ? '' : `, again at ${next_at.slice(11, 19)}`}`
  return wrap(text, width).map((part) => line(span(part, state === 'done' ? 'ok' : 'warn')))
}
