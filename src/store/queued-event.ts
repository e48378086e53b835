/** Names the event of a waiting group or run, for a user who looks at the backlog. */

import type { NewRun } from '../core/new-run.ts'
import type { QueuedEvent } from './ports.ts'

export const queuedEventOf = ({ eventId, profile, route }: NewRun): QueuedEvent => ({ eventId, profile, route })
