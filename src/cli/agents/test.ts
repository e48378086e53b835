/** `agents test [name]`: asks an agent for one word, and prints its answer. Exit 1 where it does not answer. */

import { exit } from '../../core/fault.ts'
import { testAgent } from '../../operate/agents/ask-once.ts'
import { defaultAgent } from '../../parts/named-agents.ts'
import { answer, type Cli } from '../shell/output.ts'

export const agentsTest = async (name: string = defaultAgent, cli: Cli): Promise<number> => {
  const { ok, text } = await testAgent(cli.workspace, name)
  return answer(cli, {
    kind: 'agents.test',
    data: { agent: name, answered: ok, text },
    text: `${text}\n`,
    exitCode: ok ? exit.ok : exit.no,
  })
}
