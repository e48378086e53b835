/** A value as it is shown, as a value again. What is no JSON is a text. */

import type { Json } from '../../../core/json.ts'

export const jsonOf = (shown: string): Json => {
  try {
    return JSON.parse(shown) as Json
  } catch {
    return shown
  }
}
