/** A failure that another try would not mend. */

import type { Sent } from '../target.ts'

export const permanentFailure = (why: string): Sent => ({ ok: false, why, repeatable: false })
