/**
 * Makes the body of an answer that has the reply of a run. A model wrote the reply, under the influence of strangers: it is only ever text.
 */

import { isJson } from '../../core/json.ts'
import type { Event } from '../../core/request.ts'
import { cut } from '../../core/text.ts'
import { escapeFor } from '../../expr/escape.ts'
import { compileTemplate, type TemplateKit } from '../../expr/template.ts'
import { replyPlaceholder } from '../body-pieces.ts'

/** The longest reply in an answer, and the longest text that is filled in between, in UTF-16 units. */
const maxReplyUnits = 65_536
const maxFilledUnits = 16_384

// Terminals act on these characters. Tab, line feed and carriage return are left.
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/** Returns the reply as JSON: as it is where it is JSON, else as a string. */
const asJson = (reply: string): string =>
  reply.length <= maxReplyUnits && isJson(reply) ? reply : JSON.stringify(cut(reply, maxReplyUnits))

/** Returns the function that makes a reply fit for its place in a body of this content type. */
const replyUse = (body: string, contentType: string): ((reply: string) => string) => {
  const takesJson = /\bjson\b/.test(contentType)
  if (takesJson && body.trim() === replyPlaceholder) return asJson
  const escaped = escapeFor(contentType)
  return (reply) => escaped(takesJson ? cut(reply, maxReplyUnits) : cut(reply, maxReplyUnits).replace(controls, ''))
}

/**
 * Compiles the body of an answer. The values of the event are filled in first, so that a request that waits does not keep its payload in
 * memory. The function that then takes the reply never throws.
 */
export const compileReplyBody = (body: string, contentType: string, kit: TemplateKit): ((event: Event) => (reply: string) => string) => {
  const renders = body.split(replyPlaceholder).map((text) => compileTemplate(text, kit, escapeFor(contentType)))
  const use = replyUse(body, contentType)
  return (event) => {
    // Only an expression makes a renderer return a promise, and a route with an expression in its answer is not valid (`respond.ts`).
    const texts = renders.map((render) => String(render(event)).slice(0, maxFilledUnits))
    return (reply) => texts.join(use(reply))
  }
}
