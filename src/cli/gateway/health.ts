/** `gateway health`: whether the running gateway answers its /health; exit 1 when it does not say that it is well, 4 when none runs. */

import { baseUrl, listenerAt } from '../../app/routes/route-address.ts'
import { exit, messageOf } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { answer, type Cli } from '../shell/output.ts'

const patienceMs = 5_000

export const gatewayHealth = async (cli: Cli): Promise<number> => {
  const gateway = await gatewayAt(cli.workspace).need()
  const { url, stopping } = await gateway.status()
  const at = `${baseUrl(listenerAt(url))}/health`
  const said = await ask(at)
  const ok = said === '200' && !stopping
  return answer(cli, {
    kind: 'gateway.health',
    data: { url: at, answer: said, stopping },
    text: `${ok ? 'ok' : 'not well'}  ${at}  ${printable(said)}${stopping ? ', stopping' : ''}\n`,
    exitCode: ok ? exit.ok : exit.no,
  })
}

/** The status of the answer, or why there is none. */
const ask = async (url: string): Promise<string> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs), redirect: 'error' })
    await response.body?.cancel()
    return String(response.status)
  } catch (error) {
    return messageOf(error instanceof Error && error.cause ? error.cause : error)
  }
}
