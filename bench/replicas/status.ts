/** Asks a gateway about all gateways, by the command. */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Replica } from './replica.ts'

type Told = { readonly pid: number; readonly version: string; readonly clock_ahead_seconds: number }
type Status = { readonly data?: { readonly replicas?: readonly Told[] } }

const run = promisify(execFile)

/** Returns a sentence for each of these replicas for which `judge` says what is wrong with its row in the status. */
export const checkStatus = async (replicas: readonly Replica[], judge: (told: Told) => string | undefined): Promise<string[]> => {
  const [asked] = replicas
  if (asked === undefined) return []
  const argv = [asked.main, '--data-dir', asked.dir, 'gateway', 'status', '--json']
  const { stdout } = await run(process.execPath, argv, { env: { ...process.env, ...asked.env } })
  const status: Status = JSON.parse(stdout)
  return replicas.flatMap(({ index, pid }) => {
    const told = status.data?.replicas?.find((row) => row.pid === pid)
    const wrong = told ? judge(told) : 'it is missing'
    return wrong === undefined ? [] : [`replica ${index} in the status: ${wrong}`]
  })
}
