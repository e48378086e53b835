/** `targets reset <target> [address]`: lets the gateway try a target that is down at once. */

import { printable } from '../../core/text.ts'
import { resetBreakers } from '../../features/breaker/breakers.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { targetName } from '../../parts/written-names.ts'
import { answer, type Cli } from '../shell/output.ts'

export const targetsReset = async (named: string, address: string | undefined, cli: Cli): Promise<number> => {
  const addresses = await resetBreakers(gatewayAt(cli.workspace), named, address)
  const target = targetName(named)
  const text = addresses.map((each) => `${`reset    ${target} ${printable(each)}`.trimEnd()}\n`).join('')
  return answer(cli, { kind: 'targets.reset', data: { target, addresses: [...addresses] }, text })
}
