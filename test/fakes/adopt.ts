/** For parts that are compiled by hand: gives the bare function; what it owns is open until the test's process ends. */

import { systemClock } from '../../src/core/clock.ts'
import type { Adopt } from '../../src/core/scope.ts'
import { createPartScopes } from '../../src/parts/part-scopes.ts'

export const adopt: Adopt = createPartScopes(
  systemClock,
  Object.assign(() => {}, { writes: () => false }),
).create({}).adopt
