/** Runs cases for the chosen senders in turn, and gathers their findings. */

import { createRandom } from '../../bench/durability/random.ts'
import { type CaseOptions, runCase } from './cases.ts'
import { type Finding, findingKey } from './finding.ts'
import { runAsked, signsWords } from './given-away.ts'
import { runIgnored, signsParts } from './ignored.ts'
import { createCertificate, createSenders } from './senders.ts'
import { hasIds, runTwins } from './twins.ts'
import { createWorld } from './world.ts'

export type RunOptions = {
  readonly seed: number
  /** The number of requests that all cases send together. */
  readonly requests: number
  /** The names of the senders to run; an empty list for all senders. */
  readonly presets: readonly string[]
}

export type Found = { readonly finding: Finding; readonly times: number }

/** The number of requests that one case sends. */
export const requestsPerCase = 5

export const senderNames = (): readonly string[] => createSenders('').map(({ name }) => name)

export const runFuzz = async ({ seed, requests, presets }: RunOptions): Promise<readonly Found[]> => {
  const { key, pem } = createCertificate()
  const senders = createSenders(key)
  const chosen = presets.length === 0 ? senders : senders.filter(({ name }) => presets.includes(name))
  const world = createWorld(pem)
  const findings = new Map<string, Found>()
  for (let i = 0; i < requests / requestsPerCase; i++) {
    const sender = chosen[i % chosen.length] as CaseOptions['sender']
    for (const finding of await runOne({ world, sender, senders, seed: seed + i, requests: requestsPerCase })) {
      const known = findings.get(findingKey(finding))
      // Of findings with the same key, the finding with the fewest steps is kept: the fewer steps, the clearer which of them matters.
      const shown = known && known.finding.steps.length <= finding.steps.length ? known.finding : finding
      findings.set(findingKey(finding), { finding: shown, times: (known?.times ?? 0) + 1 })
    }
  }
  return [...findings.values()]
}

/** Chooses the kind of a case by its seed alone. Most cases forge requests (`runCase`). */
const runOne = (options: CaseOptions): Promise<readonly Finding[]> => {
  // The kind is drawn from another seed. A remainder of the seed would give some senders one kind only, because senders take turns; and the
  // case itself draws from the seed.
  const kind = createRandom(options.seed + 1_000_003).whole(8)
  if (kind === 0 && signsWords(options.sender)) return runAsked(options)
  if (kind === 2 && signsParts(options.sender)) return runIgnored(options)
  return kind === 1 && hasIds(options.sender) ? runTwins(options) : runCase(options)
}
