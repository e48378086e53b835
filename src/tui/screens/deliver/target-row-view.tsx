/** Shows a row of the pane of targets: a mark for a chosen target, the name, and whether the target is connected. */

import type { TargetRow } from '../../../edit/service.ts'
import { cutOrPad } from '../../model/cells.ts'
import { Span } from '../../view/span.tsx'

type Props = {
  readonly row: TargetRow
  /** The names of the chosen targets. With `isList`, the mark of a chosen target is its place in this list. */
  readonly chosen: readonly string[]
  readonly isList: boolean
}

export const TargetRowView = ({ row: { name, missing, home }, chosen, isList }: Props) => {
  const at = chosen.indexOf(name)
  const mark = at < 0 ? '( )' : isList ? `(${at + 1})` : '(o)'
  return (
    <>
      <Span tone={at < 0 ? 'dim' : 'strong'}>{cutOrPad(mark, 5)}</Span>
      <Span tone={at < 0 ? 'plain' : 'strong'}>{`${cutOrPad(name, 16)} `}</Span>
      <Span tone={missing === undefined ? 'ok' : 'warn'}>{cutOrPad(connectionText(missing), 14)}</Span>
      <Span tone="dim">{home === undefined ? '' : ` home ${home}`}</Span>
    </>
  )
}

const connectionText = (missing: string | undefined): string => {
  if (missing === undefined) return 'connected'
  return missing.startsWith('switched off') ? 'off' : 'not connected'
}
