/** Shows the trace screen: the whole trace, from the row to which the trace is scrolled. */

import { linesFrom } from '../../model/list.ts'
import type { ScreenProps } from '../../view/screen-view.ts'
import type { TraceScreen } from './trace.ts'
import { TraceList } from './trace-list.tsx'
import { traceRows } from './trace-rows.ts'

export const TraceView = ({ screen, world, room: { width, height } }: ScreenProps<TraceScreen>) => (
  <TraceList rows={linesFrom(traceRows(world, width, true), screen.scroll, height)} />
)
