/** Reads a value from the text that shows it. A text that is not JSON is the value itself. */

import type { Json } from '../../../core/json.ts'

export const jsonOf = (shown: string): Json => {
  try {
    return JSON.parse(shown) as Json
  } catch {
    return shown
  }
}
