/** Writes one finding as a sentence, for formats that have a single text for a finding. */

import type { Diagnostic } from '../../../core/diagnostic.ts'
import { printable } from '../../../core/text.ts'

/** The words for a finding that stops the start. `concise` and the titles of `github` have shorter words of their own. */
export const stopsStart = 'the gateway does not start with this'

/** Returns the message of a finding, its route, its effect on the start of a gateway, and the way out, in one text. */
export const findingSentence = ({ message, help, route, stopsStart: stops }: Diagnostic): string =>
  [
    `${printable(message)}${route === undefined ? '' : ` (route ${printable(route)})`}`,
    ...(stops ? [stopsStart] : []),
    ...(help === undefined ? [] : [printable(help)]),
  ].join('; ')
