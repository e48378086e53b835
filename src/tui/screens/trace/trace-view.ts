/** The whole trace, from the line on to which it is scrolled. */

import { screenView } from '../../view/screen-view.ts'
import type { TraceScreen } from './trace.ts'
import { traceLines } from './trace-lines.ts'

export const traceView = screenView<TraceScreen>(({ scroll }, world, { width, height }) => {
  const lines = traceLines(world, width, true)
  return lines.slice(Math.min(scroll, Math.max(0, lines.length - height)))
})
