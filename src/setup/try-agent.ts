/** Asks the agent one short prompt, with the settings that the answers give it. */

import { systemClock } from '../core/clock.ts'
import { messageOf } from '../core/fault.ts'
import type { NewRun } from '../core/new-run.ts'
import { printable } from '../core/text.ts'
import { endWithin, throwTimeout } from '../core/turns/within.ts'
import { withDryEffects } from '../dryrun/trace/dry-effects.ts'
import { defaultAgent } from '../parts/named-agents.ts'
import { builtinCatalogue } from '../plan/catalogue.ts'
import { knownSecrets } from '../plan/known-secrets.ts'
import { compileRunner } from '../plan/runner.ts'
import { createRedactor } from '../secrets/redact.ts'
import { draftedConfig } from './drafted.ts'
import type { SetupDraft, TrialResult } from './question.ts'

const prompt = 'This is a test of the connection. Answer with the one word: ready'
const trialReplyMs = 30_000

const run: NewRun = {
  eventId: 'setup',
  profile: 'default',
  route: 'setup',
  event: 'test',
  deliveryId: 'setup',
  prompt,
  // The reply of the agent is not delivered.
  delivery: { target: '', extra: {} },
  acceptedAt: 0,
}

/** Asks the agent, and returns its reply in a sentence. A mistake in its settings, or its failure, is a result too, and is not thrown. */
export const tryAgent = async (draft: SetupDraft, signal: AbortSignal): Promise<TrialResult> => {
  const { config } = draftedConfig(draft)
  const redact = createRedactor(knownSecrets(config))
  return withDryEffects(async (effects) => {
    const { agent, diagnostics } = compileRunner(config, builtinCatalogue, effects)
    const problem = diagnostics.find(({ severity }) => severity === 'error')
    if (problem) return { ok: false, text: `${problem.message}${problem.help === undefined ? '' : `: ${problem.help}`}` }
    try {
      const ask = (signal: AbortSignal): Promise<string> => agent(prompt, { agent: defaultAgent, run, signal })
      const reply = await endWithin(ask, trialReplyMs, systemClock, throwTimeout('no answer', trialReplyMs), signal)
      return { ok: true, text: `the agent answers: ${printable(redact(reply), 200)}` }
    } catch (error) {
      return { ok: false, text: `the agent does not answer: ${printable(redact(messageOf(error)), 400)}` }
    }
  })
}
