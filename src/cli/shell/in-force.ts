/** How a command that changed subscriptions, jobs or pauses ends. */

import { followSentences, takeEntries } from '../../datadir/entries/in-force.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { type Cli, note } from './output.ts'

/** Waits until the change counts here. Notes which other gateways follow, and returns them for the answer. */
export const inForce = async (cli: Cli): Promise<string[]> => {
  const others = await takeEntries(cli.workspace, gatewayAt(cli.workspace))
  note(cli, ...followSentences(others))
  return [...others]
}
