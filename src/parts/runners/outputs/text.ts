/** The output `text`: all that the program prints is the reply. */

import type { OutputPart } from './output.ts'

export const text: OutputPart = {
  name: 'text',
  title: 'All that the program prints is the reply',
  parse: (stdout) => ({ reply: stdout.replace(/\r?\n$/, '') }),
}
