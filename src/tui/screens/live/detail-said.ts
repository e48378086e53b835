/** Puts an event of the live screen, and the pane with its detail, into sentences for the line mode (for screen readers). */

import type { Payload } from '../../../edit/service.ts'
import type { TraceShown } from '../../../edit/shown-trace.ts'
import type { TrafficLine } from '../../../generated/control.ts'
import { stageSentences } from '../trace/trace-said.ts'

/** The details of an event that the service has answered so far. */
export type Detail = { readonly payload?: Payload; readonly trace?: TraceShown }

/** Says what a pane shows. `shown`: the details that are known. `lines`: the lines of traffic about the event. */
export const detailSentences = (pane: string, shown: Detail | undefined, lines: readonly TrafficLine[]): readonly string[] => {
  if (pane === 'Delivery')
    return lines.flatMap((each) =>
      each.type === 'delivery' ? [`attempt ${each.attempt} ${each.state}${each.error === null ? '' : `: ${each.error}`}`] : [],
    )
  if (pane === 'Trace') return shown?.trace ? stageSentences(shown.trace) : []
  if (!shown?.payload) return []
  const { headers, values } = shown.payload
  return pane === 'Headers'
    ? Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    : values.map(({ path, shown: value }) => `${path}: ${value}`)
}

/** Says an event in one sentence: its route, its type, its outcome and its deliveries. `lines`: the lines of traffic about the event. */
export const eventSentence = (lines: readonly TrafficLine[]): string => {
  const outcome = lines.find((each) => each.type === 'outcome')
  const deliveries = lines.flatMap((each) =>
    each.type === 'delivery' ? [`${each.state}${each.error === null ? '' : `: ${each.error}`}`] : [],
  )
  const [first] = lines
  const how = outcome ? `${outcome.outcome}${outcome.reason === null ? '' : `: ${outcome.reason}`}` : 'in progress'
  return [first?.route ?? 'unknown route', first?.event_type ?? '', how, ...deliveries].filter(Boolean).join(', ')
}
