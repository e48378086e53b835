/** The last step of a command that changed subscriptions, jobs or pauses: it waits until the gateway uses the change. */

import { followSentences, takeEntries } from '../../datadir/entries/in-force.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { type Cli, note } from './output.ts'

/**
 * Waits until the gateway of this data directory uses the change. Notes the other gateways that follow later, and returns their names for
 * the answer.
 */
export const inForce = async (cli: Cli): Promise<string[]> => {
  const others = await takeEntries(cli.workspace, gatewayAt(cli.workspace))
  note(cli, ...followSentences(others))
  return [...others]
}
