/** Makes V8 optimize what each request runs with the first requests, not with the first thousands. */

import { setFlagsFromString } from 'node:v8'

/**
 * V8 optimizes a function once it has run three times so many bytes of its bytecode. Its own value, 67,584, is made for pages: most functions of
 * a request are small and run once each, and V8 was still busy with them after 7,000 requests (DECISIONS.md, 92).
 */
const interruptBudget = 16_000

/** Belongs after the start, whose functions are not worth it. */
export const compileSooner = (): void => setFlagsFromString(`--interrupt-budget=${interruptBudget}`)
