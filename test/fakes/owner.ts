/** For parts that are compiled by hand: gives the bare function; what it owns is open until the test's process ends. */

import { systemClock } from '../../src/core/clock.ts'
import { type Adopt, Owners } from '../../src/core/owner.ts'

export const adopt: Adopt = new Owners(
  systemClock,
  Object.assign(() => {}, { writes: () => false }),
).create({}).adopt
