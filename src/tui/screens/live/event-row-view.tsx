/** Shows a row of the live view: the time of an event, its route, the answer to it, and the state of its delivery. */

import type { TrafficLine } from '../../../generated/control.ts'
import { cutOrPad } from '../../model/cells.ts'
import type { Tone } from '../../model/remark.ts'
import { Span } from '../../view/span.tsx'
import type { LiveEvent } from './live.ts'

export type EventColumns = { readonly route: number; readonly event: number }

type Props = { readonly event: LiveEvent; readonly columns: EventColumns }

export const EventRowView = ({ event: { lines }, columns: { route, event } }: Props) => {
  const [first] = lines
  const outcome = lines.find((each) => each.type === 'outcome')
  const delivery = lines.findLast((each) => each.type === 'delivery')
  return (
    <>
      <Span tone="dim">{`${first?.at.slice(11, 19) ?? ''} `}</Span>
      <Span tone="strong">{cutOrPad(first?.route ?? '-', route)}</Span>
      <Span>{` ${cutOrPad(first?.event_type ?? '-', event)} `}</Span>
      {outcome ? <Answer outcome={outcome} /> : <Span tone="dim">…</Span>}
      {delivery && <Span tone={delivery.state === 'done' ? 'ok' : delivery.state === 'dead' ? 'bad' : 'warn'}>{` ${delivery.state}`}</Span>}
    </>
  )
}

type OutcomeLine = Extract<TrafficLine, { type: 'outcome' }>

const Answer = ({ outcome: { outcome, status, reason } }: { readonly outcome: OutcomeLine }) => {
  const tone: Tone = (status ?? 500) >= 400 ? 'bad' : outcome === 'ignored' || outcome === 'duplicate' ? 'warn' : 'ok'
  return <Span tone={tone}>{`${status ?? ''} ${outcome}${reason === null ? '' : `: ${reason}`}`}</Span>
}
