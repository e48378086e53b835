/** Reads the event that the options of a command name: a payload, a sample, or a recorded event. */

import { findSample, readSample } from '../../app/samples/gallery.ts'
import type { TraceOptions } from '../../app/trace/trace-route.ts'
import { usage } from '../../core/fault.ts'
import type { Cli } from '../shell/output.ts'
import { type PayloadSource, readPayloadOption } from './payload.ts'

export type ContentOptions = { readonly payload?: string; readonly sample?: string; readonly eventId?: string }

export type TracedContent = PayloadSource & { readonly of: TraceOptions['of'] }

/** Returns the content of the event. Throws a Fault where two are named, where a sample does not exist, and where a payload is no JSON. */
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
