/** The `fetch` that the SDK calls the APIs of models with. */

import { boundedFetch } from '../../../core/calls/call-server.ts'
import { writeCarriedNumbers } from '../../../core/carried-numbers.ts'

const ask = boundedFetch(8 * 1024 * 1024)

/** Writes the numbers that were carried through the SDK. An answer of more than 8 MiB breaks off with an error. */
export const modelFetch: typeof fetch = (input, init) =>
  ask(input, typeof init?.body === 'string' ? { ...init, body: writeCarriedNumbers(init.body) } : init)
