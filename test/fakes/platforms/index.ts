/** Every platform's double. */

import type { Double } from './double.ts'
import { telegram } from './telegram.ts'

export const doubles: readonly Double[] = [telegram]
