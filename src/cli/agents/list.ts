/** `agents list`: prints the agents, one a line, with what is known of each, and the routes and jobs that use it. */

import type { Json } from '../../core/json.ts'
import { printable, someOf } from '../../core/text.ts'
import { readAgents } from '../../operate/agents/agents.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'

export const agentsList = async (cli: Cli): Promise<number> => {
  const { agents, warnings } = await readAgents(cli.workspace)
  const rows = agents.map(({ name, state, text, users }) => [
    name,
    state,
    printable(text),
    users.length === 0 ? '-' : printable(someOf(users)),
  ])
  const lines = aligned(cli.io.isTty ? [['AGENT', 'STATE', 'RUNNER', 'USED BY'], ...rows] : rows)
  const { dim } = paintWith(cli.io.colour)
  return answer(cli, {
    kind: 'agents.list',
    data: {
      agents: agents.map(
        ({ name, runner, state, text, fix = null, users }): Json => ({ name, runner, state, text, fix, users: [...users] }),
      ),
    },
    text: lines.map((line, i) => `${cli.io.isTty && i === 0 ? dim(line) : line}\n`).join(''),
    warnings,
  })
}
