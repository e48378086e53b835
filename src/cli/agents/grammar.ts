/** The `agents` commands: their arguments and options. */

import type { CliCommand } from '../shell/cli-command.ts'
import type { RunCommand } from '../shell/grammar-values.ts'

export const addAgents = (agents: CliCommand, run: RunCommand): void => {
  agents
    .command('list')
    .description('list the agents, whether each could be asked here, and which routes and jobs use it')
    .examples('agents list')
    .action(() => run(async (cli) => (await import('./list.ts')).agentsList(cli)))
  agents
    .command('test [name]')
    .description('ask an agent for one word, to see whether it answers; default: that of the section agent')
    .examples('agents test', 'agents test reviewer')
    .completes('name', 'agents')
    .action((name: string | undefined) => run(async (cli) => (await import('./test.ts')).agentsTest(name, cli)))
}
