/** Asks a running gateway for its status on its control socket, and reads what the command line prints. */

import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { main, until } from './lab.ts'

type Status = { readonly pid: number; readonly backlog: number }

/** Returns the status of a gateway. Rejects when no gateway answers. `dir`: the gateway's data directory, as this program sees it. */
export const statusOf = (dir: string): Promise<Status> =>
  new Promise((resolve, reject) => {
    const asked = request(
      { socketPath: join(dir, 'state', 'gateway.sock'), path: '/status', agent: false, timeout: 10_000 },
      (response) => {
        text(response).then((answer) => resolve(JSON.parse(answer) as Status), reject)
      },
    )
    asked.on('timeout', () => asked.destroy(new Error('the control socket does not answer')))
    asked.on('error', reject)
    asked.end()
  })

/** Waits until nothing that was accepted waits or runs. */
export const untilIdle = (dir: string, timeoutMs: number): Promise<void> =>
  until('the backlog is empty', async () => (await statusOf(dir)).backlog === 0, timeoutMs, 100)

/** The most events that the command lists at once. */
const maxListed = 99_999

type Listed = { readonly data: { readonly events: readonly { readonly state: string; readonly event_id: string }[] } }

/** Returns how many events `events list` shows in each state. */
export const listedStates = async (dir: string): Promise<ReadonlyMap<string, number>> => {
  const argv = [main, '--data-dir', dir, 'events', 'list', '--json', '--limit', String(maxListed)]
  const { stdout } = await promisify(execFile)(process.execPath, argv, { maxBuffer: 2 ** 30 })
  const states = new Map<string, number>()
  for (const { state } of (JSON.parse(stdout) as Listed).data.events) states.set(state, (states.get(state) ?? 0) + 1)
  return states
}
