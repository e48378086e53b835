/** The `adopt` for tests that compile a part themselves. What the part owns stays open until the process of the test ends. */

import { systemClock } from '../../src/core/clock.ts'
import type { Adopt } from '../../src/core/scope.ts'
import { createPartScopes } from '../../src/parts/part-scopes.ts'

export const adopt: Adopt = createPartScopes(
  systemClock,
  Object.assign(() => {}, { writes: () => false }),
).create({}).adopt
