/** Reads the event that the options of a command give: by a payload, a sample, or the id of a recorded event. */

import { usage } from '../../core/fault.ts'
import { findSample, readSample } from '../../dryrun/samples/gallery.ts'
import type { TraceOptions } from '../../dryrun/trace/trace-route.ts'
import type { Cli } from '../shell/output.ts'
import { type PayloadSource, readPayloadOption } from './payload.ts'

/** The options that give an event. At most one of them may be given. */
export type ContentOptions = { readonly payload?: string; readonly sample?: string; readonly eventId?: string }

export type TracedContent = PayloadSource & { readonly of: TraceOptions['of'] }

/** Returns the event, and where it is from. Throws a Fault for two of the options together, for an unknown sample, and for no JSON. */
export const tracedContent = async ({ payload, sample, eventId }: ContentOptions, cli: Cli): Promise<TracedContent> => {
  if ([payload, sample, eventId].filter((given) => given !== undefined).length > 1)
    throw usage('give one of --payload, --sample and --event-id')
  if (sample !== undefined) {
    const found = findSample(cli.workspace, sample)
    return { from: 'sample', name: found.name, of: readSample(found) }
  }
  if (eventId !== undefined) return { from: 'event', name: eventId, of: { eventId } }
  const { text, ...source } = await readPayloadOption(payload, cli.io)
  return { ...source, of: { payload: text } }
}
