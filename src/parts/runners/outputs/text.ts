/** The output `text`: all that the program prints is the reply. */

import type { OutputPart } from './output.ts'

/** The end of the last line, which most programs add. It is no part of the reply. */
const lastLineEnd = /\r?\n$/

/**
 * The output of a program that knows nothing of a gateway, such as a script or a filter. It may print nothing: then nothing is delivered.
 * What it used, and whether it asked a model at all, is not known.
 */
export const text: OutputPart = {
  name: 'text',
  title: 'All that the program prints is the reply',
  parse: (stdout) => ({ reply: stdout.replace(lastLineEnd, '') }),
}
