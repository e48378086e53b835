/** The whole trace, from the line on to which it is scrolled. */

import { scrolledTo } from '../../view/list-view.ts'
import { screenView } from '../../view/screen-view.ts'
import type { TraceScreen } from './trace.ts'
import { traceLines } from './trace-lines.ts'

export const traceView = screenView<TraceScreen>(({ scroll }, world, { width, height }) =>
  scrolledTo(traceLines(world, width, true), scroll, height),
)
