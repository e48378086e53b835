/** The call that cancels the run or the group of an event. */

import type { Cancelled } from '../../ports.ts'
import type { CallKind } from '../call-kind.ts'

export const cancelKind: CallKind<string, Cancelled> = {
  name: 'cancel_1',
  text: 'select cancel_1($1)',
  maxCalls: 1,
  isRepeatable: true,
  values: ([eventId]) => [eventId],
  answers: ([row]) => [row?.[0] as Cancelled],
}
