/**
 * Compiles `respond` of a route, or of the scheme that the route names: the answer to an event that was not refused, for senders that do
 * not take the gateway's usual answer.
 */

import type { Respond } from '../../core/plan.ts'
import { parseTemplate } from '../../expr/placeholder.ts'
import { compileTemplate } from '../../expr/template.ts'
import type { Route } from '../../generated/config.ts'
import { defaults } from '../../generated/defaults.ts'
import type { StageKit } from '../stages/stage.ts'
import { templateKit } from '../template-kit.ts'

/** The longest body of an answer, in UTF-16 units. A longer body is cut. */
const maxBodyUnits = 16_384

const xmlNames: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/**
 * Returns the function that escapes a value of the payload for a body of this content type. A stranger may have chosen the value. Escaped,
 * the value can only be text in the body. In a body that is neither XML, HTML nor JSON, the value stays as it is.
 */
export const escapeFor = (contentType: string): ((text: string) => string) => {
  if (/\b(?:xml|html)\b/.test(contentType)) {
    // XML 1.0 cannot express most control characters.
    return (text) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '').replace(/[&<>"']/g, (found) => xmlNames[found] as string)
  }
  return /\bjson\b/.test(contentType) ? (text) => JSON.stringify(text).slice(1, -1) : (text) => text
}

/** Reports the expressions in the body of an answer. */
export const reportExpressions = (body: string, { report }: Pick<StageKit, 'report'>): void => {
  if (parseTemplate(body, () => {}).some(({ kind }) => kind === 'expression'))
    report('WH503', ['respond', 'body'], 'an answer is made before an expression would be worked out', 'use {dotted.path} only')
}

/** Makes the function that answers an event: the body of the answer is a template over the event. A mistake in the template is reported. */
export const compileRespond = (respond: NonNullable<Route['respond']>, kit: StageKit): Respond => {
  const { status = defaults.respond.status, body = defaults.respond.body, content_type: type = defaults.respond.content_type } = respond
  reportExpressions(body, kit)
  const path = ['respond', 'body']
  const render = compileTemplate(body, templateKit(kit, path), escapeFor(type))
  return (event) => {
    const text = render(event)
    // Only an expression makes the renderer return a promise, and an expression is reported above as a mistake.
    return {
      status,
      body: typeof text === 'string' ? text.slice(0, maxBodyUnits) : '',
      type,
      headers: { 'X-Content-Type-Options': 'nosniff' },
    }
  }
}
