/** Tells systemd that the gateway listens, where a unit with `Type=notify` runs it. */

import type { Env } from '../config/env.ts'
import type { Log } from '../core/log.ts'
import { baseEnv, failureOf, runChild } from '../process/child.ts'

const timeoutMs = 10_000

/**
 * Runs `systemd-notify` where systemd waits for the start (`NOTIFY_SOCKET`): Node cannot write to a datagram socket of Unix. `url`: the
 * address that `systemctl status` shows.
 */
export const notifySystemd = async (env: Env, url: string, log: Log): Promise<void> => {
  const { NOTIFY_SOCKET } = env
  if (!NOTIFY_SOCKET) return
  const argv = ['systemd-notify', '--ready', `--status=listening on ${url}`]
  const failure = failureOf(await runChild({ argv, env: { ...baseEnv(env), NOTIFY_SOCKET }, timeoutMs }))
  if (failure !== undefined)
    log('error', { reason: failure }, 'systemd does not hear that the gateway has started: write Type=exec into its unit')
}
