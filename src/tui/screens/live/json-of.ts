/** Reads a value of a payload back from the text that the screen shows for the value. A text that is not JSON is the value itself. */

import type { Json } from '../../../core/json.ts'

export const jsonOrText = (shown: string): Json => {
  try {
    return JSON.parse(shown) as Json
  } catch {
    return shown
  }
}
