/**
 * Shows the requests to a gateway that runs in the foreground: when a request has ended, a line for the request and a line for its answer.
 * The number of requests that are shown in a second is bounded.
 */

import type { Clock } from '../../core/clock.ts'
import type { Observer } from '../../core/facts/facts.ts'
import type { TrafficLine } from '../../generated/control.ts'
import { requestLines } from '../../serve/traffic.ts'
import { trafficText } from '../webhook/traffic-text.ts'

const requestsPerSecond = 50
const secondMs = 1_000

/** `redact`: returns a text without the known secrets. `show`: takes the lines that are not above the bound. */
export type RequestLinesOptions = {
  readonly clock: Clock
  readonly redact: (text: string) => string
  readonly show: (line: TrafficLine) => void
  /** Called with the number of requests that were not shown in a second. */
  readonly skipped: (count: number) => void
}

/**
 * Returns an observer of facts that shows the lines of each ended request. Requests above the bound are only counted, and `skipped` gets
 * their number when the second is over.
 */
export const createRequestLines = ({ clock, redact, show, skipped }: RequestLinesOptions): Observer => {
  let count = 0
  let isCounting = false
  const endSecond = (): void => {
    isCounting = false
    const over = count - requestsPerSecond
    count = 0
    if (over > 0) skipped(over)
  }
  return {
    handlers: {
      request_ended(fact) {
        if (!isCounting) clock.after(secondMs, endSecond)
        isCounting = true
        if (++count > requestsPerSecond) return
        for (const line of requestLines(fact, clock.now(), redact)) show(line)
      },
    },
  }
}

/** Makes the options that show requests for people, in the lines of `webhook tail`. `write`: takes a text with its line end. */
export const linesAsText = (write: (text: string) => void): Pick<RequestLinesOptions, 'show' | 'skipped'> => ({
  show: (line) => write(`${trafficText(line)}\n`),
  skipped: (count) => write(`          ... ${count} more requests in this second\n`),
})

/** Makes the options that show requests for machines, as entries of the log. */
export const linesAsLog = (
  log: (level: 'info', fields: { readonly [name: string]: string | number | boolean | undefined }, message: string) => void,
): Pick<RequestLinesOptions, 'show' | 'skipped'> => ({
  show: ({ type, ...line }) => log('info', logFields(line), type === 'event' ? '-->' : '<--'),
  skipped: (count) => log('info', { count }, 'more requests in one second'),
})

const logFields = (line: object) => Object.fromEntries(Object.entries(line).map(([name, value]) => [name, value ?? undefined]))
