/** Asks an agent of a configuration one short prompt, to see whether it answers. */

import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { systemClock } from '../../core/clock.ts'
import { exit, Fault, messageOf } from '../../core/fault.ts'
import type { NewRun } from '../../core/new-run.ts'
import { nearest, printable } from '../../core/text.ts'
import { endWithin, throwTimeout } from '../../core/turns/within.ts'
import { withSecrets } from '../../datadir/secrets/with-secrets.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { withDryEffects } from '../../dryrun/trace/dry-effects.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import type { Catalogue } from '../../plan/compile.ts'
import { knownSecrets } from '../../plan/known-secrets.ts'
import { compileRunner } from '../../plan/runner.ts'
import { createRedactor } from '../../secrets/redact.ts'

const prompt = 'This is a test of the connection. Answer with the one word: ready'
const replyMs = 30_000

const run: NewRun = {
  eventId: 'test',
  profile: 'default',
  route: 'test',
  event: 'test',
  deliveryId: 'test',
  prompt,
  // The reply of the agent is not delivered.
  delivery: { target: '', extra: {} },
  acceptedAt: 0,
}

/** Whether the agent answered, and its reply or what failed in one sentence, without known secrets. */
export type Answered = { readonly ok: boolean; readonly text: string }

/** Asks the agent `name`. A mistake in the settings of agents, or a failure, is a result too, and is not thrown. It waits 30 s. */
export const askOnce = async (config: Config, catalogue: Catalogue, name: string, signal: AbortSignal): Promise<Answered> => {
  const redact = createRedactor(knownSecrets(config))
  return withDryEffects(async (effects) => {
    const { agent, diagnostics, scope } = compileRunner(config, catalogue, effects)
    try {
      const problem = diagnostics.find(({ severity }) => severity === 'error')
      if (problem) return { ok: false, text: `${problem.message}${problem.help === undefined ? '' : `: ${problem.help}`}` }
      const ask = (asking: AbortSignal): Promise<string> => agent(prompt, { agent: name, run, signal: asking })
      const reply = await endWithin(ask, replyMs, systemClock, throwTimeout('no answer', replyMs), signal)
      return { ok: true, text: `the agent answers: ${printable(redact(reply), 200)}` }
    } catch (error) {
      return { ok: false, text: `the agent does not answer: ${printable(redact(messageOf(error)), 400)}` }
    } finally {
      scope.release()
    }
  })
}

/** Asks the agent `name` of a data directory. Throws a Fault (exit 5) where there is no such agent. */
export const testAgent = async (workspace: Workspace, name: string): Promise<Answered> => {
  const { config } = loadConfig(await withSecrets(workspace))
  if (!config.agents.has(name)) {
    const suggest = nearest(name, [...config.agents.keys()])
    throw new Fault('unknown_agent', `there is no agent "${name}"`, {
      exitCode: exit.notFound,
      suggest,
      hint: `${workspace.self} agents list`,
    })
  }
  const { catalogue } = await catalogueOf(config)
  return askOnce(config, catalogue, name, new AbortController().signal)
}
