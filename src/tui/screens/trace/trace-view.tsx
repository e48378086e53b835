/** Shows the trace screen: the rows of the trace, from the row to which it is scrolled. A long prompt is cut. */

import { linesFrom } from '../../model/list.ts'
import type { ScreenProps } from '../../view/screen-view.ts'
import type { TraceScreen } from './trace.ts'
import { TraceList } from './trace-list.tsx'
import { traceRows } from './trace-rows.ts'

export const TraceView = ({ screen, world, room: { width, height } }: ScreenProps<TraceScreen>) => (
  <TraceList rows={linesFrom(traceRows(world, width, true), screen.scroll, height)} />
)
