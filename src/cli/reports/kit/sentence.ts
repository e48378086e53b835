/** One finding in words, for formats that have one text for it. */

import type { Diagnostic } from '../../../core/diagnostic.ts'
import { printable } from '../../../core/text.ts'

/** What findings that stop the start say of themselves, the same in every format. */
export const stopsStart = 'the gateway does not start with this'

/** The message, where it is not said by the place what route it is in, what it means for the start, and the way out. */
export const sentenceOf = ({ message, help, route, stopsStart: stops }: Diagnostic): string =>
  [
    `${printable(message)}${route === undefined ? '' : ` (route ${printable(route)})`}`,
    ...(stops ? [stopsStart] : []),
    ...(help === undefined ? [] : [printable(help)]),
  ].join('; ')
