/** Names a run that waits in a group or a lane, for a person who looks at what waits. */

import type { NewRun, QueuedEvent } from './ports.ts'

export const queuedEventOf = ({ eventId, profile, route }: NewRun): QueuedEvent => ({ eventId, profile, route })
