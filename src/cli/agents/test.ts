/** `agents test [name]`: asks an agent for one word, and prints its answer. Exit 1 where it does not answer. */

import { loadConfig } from '../../config/load.ts'
import { exit, Fault } from '../../core/fault.ts'
import { nearest } from '../../core/text.ts'
import { withSecrets } from '../../datadir/secrets/with-secrets.ts'
import { askOnce } from '../../operate/agents/ask-once.ts'
import { defaultAgent } from '../../parts/named-agents.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { answer, type Cli } from '../shell/output.ts'

export const agentsTest = async (name: string = defaultAgent, cli: Cli): Promise<number> => {
  const { config } = loadConfig(await withSecrets(cli.workspace))
  if (!config.agents.has(name)) {
    const names = [...config.agents.keys()]
    throw new Fault('unknown_agent', `there is no agent "${name}"`, {
      exitCode: exit.notFound,
      suggest: nearest(name, names),
      hint: `${cli.workspace.self} agents list`,
    })
  }
  const { catalogue } = await catalogueOf(config)
  const { ok, text } = await askOnce(config, catalogue, name, new AbortController().signal)
  return answer(cli, {
    kind: 'agents.test',
    data: { agent: name, answered: ok, text },
    text: `${text}\n`,
    exitCode: ok ? exit.ok : exit.no,
  })
}
