/** Checks `respond` of a route whose answer waits for the reply of the run. */

import type { Report } from '../../core/diagnostic.ts'
import { isJson } from '../../core/json.ts'
import { isJsonType } from '../../expr/escape.ts'
import { parseTemplate } from '../../expr/placeholder.ts'
import type { Route } from '../../generated/config.ts'
import { defaults } from '../../generated/defaults.ts'
import { replyPlaceholder } from '../body-pieces.ts'
import { longestWait } from './await-reply.ts'

/** What the check needs to know besides the route. `senderSeconds`: how long the sender waits by itself. */
type Around = { readonly isSplit: boolean; readonly senderSeconds: number | undefined; readonly report: Report }

/** Reports what such a wait does not go with, and what makes it vain. */
export const checkWait = (route: Route, waitSeconds: number, { isSplit, senderSeconds, report }: Around): void => {
  const key = ['respond', 'wait_seconds']
  const exclude = (other: string, why: string): void =>
    report('WH208', key, `"wait_seconds" and "${other}" cannot be used together: ${why}`, 'remove one of the two')
  if (route.deliver_only) exclude('deliver_only', 'no agent is asked')
  if (route.coalesce) exclude('coalesce', 'the run of an event may be that of a later event')
  if (isSplit) exclude('split', 'each item has a run of its own')
  checkBody(route.respond ?? {}, report)
  if (senderSeconds !== undefined && waitSeconds > senderSeconds)
    report(
      'WH245',
      key,
      `the sender gives up after ${senderSeconds} s, so its requests wait for ${longestWait(waitSeconds, senderSeconds)} s at most`,
      `write at most ${senderSeconds}`,
    )
  if ((route.delay_seconds ?? 0) >= waitSeconds)
    report('WH245', key, 'no reply comes in time: delay_seconds is not shorter', 'make wait_seconds the longer one, or remove it')
}

const checkBody = ({ body, content_type: type = defaults.respond.content_type }: NonNullable<Route['respond']>, report: Report): void => {
  if (/html|svg/.test(type))
    report('WH208', ['respond', 'content_type'], `a reply is never sent as ${type}: a browser would act on it`, 'write text/plain')
  if (body === undefined) return
  if (!JSON.stringify(body).includes(replyPlaceholder))
    report('WH245', ['respond', 'body'], 'the sender waits for a reply that it does not get', `write ${replyPlaceholder} into the body`)
  else if (typeof body === 'string' && isJsonType(type) && body.trim() !== replyPlaceholder && !isJsonOnceFilled(body))
    report('WH245', ['respond', 'body'], 'the body is no JSON once the reply is filled in', `put quotes around ${replyPlaceholder}`)
}

/** Whether the body is JSON with a word in place of the reply, and a digit in place of each other placeholder. */
const isJsonOnceFilled = (body: string): boolean => {
  const filled = parseTemplate(body).map((piece) => {
    if (piece.kind === 'text') return piece.text
    return piece.kind === 'path' && piece.written === replyPlaceholder ? 'reply' : '0'
  })
  return isJson(filled.join(''))
}
