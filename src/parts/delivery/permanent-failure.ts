/** The failures of targets that another attempt would not mend. */

import type { Sent } from '../targets/target.ts'

/** Makes a failure that is not retried. `why`: the reason, for people. */
export const permanentFailure = (why: string): Sent => ({ ok: false, why, repeatable: false })
