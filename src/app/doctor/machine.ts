/** Looks at Node and at the clock. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Check, ok, type Patient, warn } from './check.ts'

/** The command itself refuses a Node that is too old. */
export const checkNode = (): Check => ok('node', `Node ${process.versions.node} on ${process.platform} ${process.arch}`)

const toleranceMs = 60_000

/** Files are dated by the same clock: one from the future says that the clock was ahead, or is behind now. Nobody is asked for the time. */
export const checkClock = ({ workspace: { dataDir } }: Patient): readonly Check[] => {
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
