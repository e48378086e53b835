/** Reads samples for an editor, which tries all samples again after each change of a draft. */

import { stampOf } from '../../core/file-stamp.ts'
import { type KnownSample, readSample } from '../../dryrun/samples/gallery.ts'
import type { Sample } from '../../dryrun/samples/sample-file.ts'

/** Reads a sample. Throws a Fault for a sample that cannot be used. */
export type SampleReader = (known: KnownSample) => Sample

const maxKept = 100

/** Makes a reader that keeps up to 100 samples. It reads the file of a kept sample again only after the file has changed. */
export const createSampleReader = (): SampleReader => {
  const kept = new Map<string, { readonly stamp: string; readonly sample: Sample }>()
  return (known) => {
    const stamp = stampOf(known.file)
    const last = kept.get(known.file)
    if (last?.stamp === stamp) return last.sample
    const sample = readSample(known)
    if (kept.size >= maxKept) kept.clear()
    kept.set(known.file, { stamp, sample })
    return sample
  }
}
