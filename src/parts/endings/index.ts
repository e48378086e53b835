/** The endings; a route gets the first that fits. */

import type { EndingPart } from '../part.ts'
import { agent } from './agent.ts'
import { coalesce } from './coalesce.ts'
import { cronJob } from './cron-job.ts'
import { direct } from './direct.ts'

export const endings: readonly EndingPart[] = [direct, cronJob, coalesce, agent]
