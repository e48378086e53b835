/** `gateway stop`: asks the running gateway to end, and waits for that; exit 1 when it takes longer. */

import { setTimeout as sleep } from 'node:timers/promises'
import { exit } from '../../core/fault.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { answer, type Cli, note } from '../shell/output.ts'

const defaultTimeoutSeconds = 60
const lookMs = 100

/** It answers no more before it has closed its store. */
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export const gatewayStop = async ({ timeout = defaultTimeoutSeconds }: { readonly timeout?: number }, cli: Cli): Promise<number> => {
  const finder = gatewayAt(cli.workspace)
  const gateway = await finder.need()
  const { pid } = await gateway.status()
  await gateway.stop()
  note(cli, `stopping process ${pid}: what it has in hand is finished first`)
  const until = Date.now() + timeout * 1_000
  let isGone = false
  while (!isGone && Date.now() < until) {
    await sleep(lookMs)
    isGone = (await finder.find()) === undefined && !isRunning(pid)
  }
  return answer(cli, {
    kind: 'gateway.stop',
    data: { pid, stopped: isGone },
    text: isGone ? 'stopped\n' : `still stopping after ${timeout} s: it goes on by itself\n`,
    exitCode: isGone ? exit.ok : exit.no,
  })
}
