/** Reports the version of Node, and checks the clock of the machine. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Check, type CheckInput, ok, warn } from '../../datadir/check.ts'

/** Reports the version of Node. An old Node needs no check, because the program itself refuses to start with it. */
export const checkNode = (): Check => ok('node', `Node ${process.versions.node} on ${process.platform} ${process.arch}`)

/** A file may be dated this much later than now without a warning. */
const toleranceMs = 60_000

/**
 * Checks the clock against the dates of files in the data directory, which the same clock has given. A date in the future shows that the
 * clock was ahead then, or is behind now. No time server is asked.
 */
export const checkClock = ({ workspace: { dataDir } }: CheckInput): readonly Check[] => {
  const latest = ['config.yaml', '.env', 'webhook_subscriptions.json', 'state', 'state/headgate.db', 'state/events']
    .map((name) => ({ name, at: statSync(join(dataDir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .reduce((a, b) => (b.at > a.at ? b : a))
  const aheadMs = latest.at - Date.now()
  if (aheadMs <= toleranceMs) return []
  const message = `${latest.name} was written ${Math.round(aheadMs / 1000)} s from now: the clock was set back, or is wrong`
  return [
    warn('clock', message, 'set the clock (timedatectl set-ntp true): signatures with a time-stamp are good for 300 s', { code: 'WH805' }),
  ]
}
