/** Sets flags of V8 for a server of many small functions, whose objects live for one request. */

import { setFlagsFromString } from 'node:v8'
import { isFast } from './forms.ts'

/** A flag. `from`, `to`: the first and last major version of V8 on which it was measured. V8 prints an error for an unknown flag. */
type Flag = { readonly flag: string; readonly from: number; readonly to: number }

/** The major versions of V8 in Node 20 to 26. */
const measuredVersions = { from: 11, to: 14 }
/** Those of Node 24 and 26. */
const laterVersions = { from: 13, to: 14 }

const flags: readonly Flag[] = [
  // How soon V8 optimizes a function: once the function has run three times this many bytes of bytecode. A request runs many small
  // functions, each of them once. With V8's own value, 67,584, V8 was still optimizing after 7,000 requests. Later
  // versions of V8 count calls instead, so they do not get this flag.
  { flag: '--interrupt-budget=16000', from: 11, to: 11 },
  // The most bytes of bytecode of called functions that V8 inlines into one optimized function. The larger a function, the longer V8's
  // compiler thread keeps the core from the requests of a young process: with V8's own value, 920, a third longer.
  { flag: '--max-inlined-bytecode-size-cumulative=400', ...measuredVersions },
  // Without this flag, V8 takes objects that survived a slow first second for long-lived ones, and then makes each later object of the same
  // place in the code in the old space, which is collected rarely.
  { flag: '--no-allocation-site-pretenuring', ...measuredVersions },
  // Without this flag the young generation doubles under load, which takes 15 to 40 MiB more. It keeps the size that it has after the start,
  // at most 8 MiB a half.
  { flag: '--semi-space-growth-factor=1', ...laterVersions },
  // So small a young generation is collected often, and little of it is alive: the helpers of a collection cost more than they do.
  { flag: '--no-parallel-scavenge', ...laterVersions },
  // By themselves these versions of V8 compile a function of the hot path twice: with Maglev, and with Turbofan after 3,000 calls. That takes
  // 15 MiB more, and keeps the core longer from the requests of a young process.
  { flag: '--no-maglev', ...laterVersions },
  { flag: '--invocation-count-for-turbofan=1000', ...laterVersions },
]

/**
 * Sets the flags. Called only when the gateway has started, because functions that run only at the start are not worth optimizing. The
 * plain form sets no flag.
 */
export const setV8Flags = (): void => {
  if (!isFast('flags')) return
  const version = Number.parseInt(process.versions.v8, 10)
  for (const { flag, from, to } of flags) if (version >= from && version <= to) setFlagsFromString(flag)
}
