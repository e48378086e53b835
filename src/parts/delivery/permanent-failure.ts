/** Makes a failure that is not retried, because another attempt would fail too. */

import type { Sent } from '../targets/target.ts'

export const permanentFailure = (why: string): Sent => ({ ok: false, why, repeatable: false })
