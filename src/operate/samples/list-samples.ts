/** Lists the samples with their events and descriptions. */

import { exit, Fault, messageOf } from '../../core/fault.ts'
import { providerName } from '../../core/names.ts'
import { nearest } from '../../core/text.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { type KnownSample, listSamples, readSample } from '../../dryrun/samples/gallery.ts'

/** A sample in the JSON of `samples list`. Every member is present, `null` where the sample says nothing. */
export type ListedSample = {
  readonly name: string
  readonly provider: string
  readonly source: KnownSample['source']
  readonly event: string | null
  readonly description: string | null
  readonly body_bytes: number | null
  /** Why the sample cannot be used. */
  readonly problem: string | null
}

/** Describes all samples, or the samples of one provider. Throws a Fault for a provider without samples. */
export const describeSamples = (workspace: Workspace, asked: string | undefined): readonly ListedSample[] => {
  const samples = listSamples(workspace)
  if (asked === undefined) return samples.map(describeSample)
  const provider = providerName(asked.toLowerCase())
  const found = samples.filter(({ name }) => name.startsWith(`${provider}/`))
  if (found.length > 0) return found.map(describeSample)
  const suggest = nearest(provider, new Set(samples.map(({ name }) => providerOf(name))))
  throw new Fault('not_found', `no samples of "${asked}"`, { exitCode: exit.notFound, suggest, hint: `${workspace.self} samples list` })
}

const providerOf = (name: string): string => name.split('/')[0] ?? ''

const describeSample = (sample: KnownSample): ListedSample => {
  const { name, source } = sample
  const base = { name, provider: providerOf(name), source }
  try {
    const { event = null, description = null, body } = readSample(sample)
    return { ...base, event, description, body_bytes: Buffer.byteLength(body), problem: null }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { ...base, event: null, description: null, body_bytes: null, problem: messageOf(error) }
  }
}
