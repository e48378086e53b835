/** The list of endings: a route gets the first ending that fits. */

import { agent } from './agent.ts'
import { coalesce } from './coalesce.ts'
import { cronJob } from './cron-job.ts'
import { direct } from './direct.ts'
import { dispatch } from './dispatch.ts'
import type { EndingPart } from './ending.ts'

export const endings: readonly EndingPart[] = [dispatch, direct, cronJob, coalesce, agent]
