/** The failures of sendings that are not repeated, because another attempt would fail too, or could post a text twice. */

import type { Sent } from '../target.ts'

/** Makes a failure that is not repeated, and that says nothing of the receiver. `why`: the reason, for people. */
export const permanentFailure = (why: string): Sent => ({ ok: false, why, repeatable: false })
