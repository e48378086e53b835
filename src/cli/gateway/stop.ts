/** `gateway stop`: asks the running gateway to end, and waits until its process is gone. Exit 1 when that takes too long. */

import { exit } from '../../core/fault.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { stopGateway } from '../../operate/gateway/stop.ts'
import { answer, type Cli, note } from '../shell/output.ts'

const defaultTimeoutSeconds = 60

export const gatewayStop = async ({ timeout = defaultTimeoutSeconds }: { readonly timeout?: number }, cli: Cli): Promise<number> => {
  const { pid, isGone } = await stopGateway(gatewayAt(cli.workspace))
  note(cli, `stopping process ${pid}: its running work is finished first`)
  const stopped = await isGone(timeout * 1_000)
  return answer(cli, {
    kind: 'gateway.stop',
    data: { pid, stopped },
    text: stopped ? 'stopped\n' : `still stopping after ${timeout} s: it goes on by itself\n`,
    exitCode: stopped ? exit.ok : exit.no,
  })
}
