/** `gateway health`: asks the running gateway for `/health`. Exit 1 when the answer is not good, 4 when no gateway runs. */

import { exit } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { readHealth } from '../../operate/gateway/health.ts'
import { answer, type Cli } from '../shell/output.ts'

export const gatewayHealth = async (cli: Cli): Promise<number> => {
  const { ok, url, answer: said, stopping } = await readHealth(gatewayAt(cli.workspace))
  return answer(cli, {
    kind: 'gateway.health',
    data: { url, answer: said, stopping },
    text: `${ok ? 'ok' : 'not healthy'}  ${url}  ${printable(said)}${stopping ? ', stopping' : ''}\n`,
    exitCode: ok ? exit.ok : exit.no,
  })
}
