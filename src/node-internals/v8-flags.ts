/** Sets flags of V8 for a server whose functions are many and small, and whose objects live for one request. */

import { setFlagsFromString } from 'node:v8'
import { isFast } from './forms.ts'

/** `from`, `to`: the major versions of V8 on which the flag was measured. V8 prints an error for a flag that it does not know. */
type Flag = { readonly flag: string; readonly from: number; readonly to: number }

/** The major versions of V8 in Node 20 to 26. */
const measured = { from: 11, to: 14 }

const flags: readonly Flag[] = [
  // V8 optimizes a function once it has run three times so many bytes of its bytecode. The functions of a request are many and small, and run
  // once each: with V8's own value, 67,584, it was still at work after 7,000 requests (DECISIONS.md, 92). Later versions count calls instead.
  { flag: '--interrupt-budget=16000', from: 11, to: 11 },
  // How much bytecode V8 compiles into one function, of the functions that it calls. The larger the function, the longer V8's thread keeps the
  // core from the requests of a young process. With V8's own value, 920, it did so for a third longer (DECISIONS.md, 99).
  { flag: '--max-inlined-bytecode-size-cumulative=400', ...measured },
  // Else V8 may take what a slow first second left alive for long-lived, and make each later object of its kind among the old ones (DECISIONS.md, 95).
  { flag: '--no-allocation-site-pretenuring', ...measured },
]

/** Belongs after the start: what runs only there is not worth optimizing. The plain form sets none. */
export const setV8Flags = (): void => {
  if (!isFast('flags')) return
  const version = Number.parseInt(process.versions.v8, 10)
  for (const { flag, from, to } of flags) if (version >= from && version <= to) setFlagsFromString(flag)
}
