/** Says in words how far a catch-up is. It imports no code, because the pages of the console have it too. */

import type { CatchUpState } from '../../generated/control.ts'

type State = Pick<CatchUpState, 'state' | 'listed' | 'asked' | 'refused' | 'missing' | 'why' | 'help' | 'waits_until' | 'waits_for'>

export const catchUpProgress = ({
  state,
  listed,
  asked,
  refused,
  missing,
  why,
  help,
  waits_until: until,
  waits_for: cause,
}: State): string => {
  if (state === 'failed') return `ended early: ${why}${help === undefined ? '' : `; ${help}`}`
  const reached = {
    waiting: 'waits for its turn',
    reading: `${listed} listed`,
    asking: `${asked + refused} of ${missing} asked for`,
    done: 'done',
  }
  return until === undefined ? reached[state] : `${reached[state]}, waits until ${until} (${cause})`
}
