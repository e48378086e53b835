/** `gateway health`: whether the running gateway answers its /health; exit 1 when it does not say that it is well, 4 when none runs. */

import { readHealth } from '../../app/gateway/health.ts'
import { exit } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { answer, type Cli } from '../shell/output.ts'

export const gatewayHealth = async (cli: Cli): Promise<number> => {
  const { ok, url, said, stopping } = await readHealth(gatewayAt(cli.workspace))
  return answer(cli, {
    kind: 'gateway.health',
    data: { url, answer: said, stopping },
    text: `${ok ? 'ok' : 'not well'}  ${url}  ${printable(said)}${stopping ? ', stopping' : ''}\n`,
    exitCode: ok ? exit.ok : exit.no,
  })
}
