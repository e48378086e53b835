/** Says where the relay of a data directory runs: in a file that exists while it does, or is left from a relay that was killed. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callFailure } from '../../core/calls/call-failure.ts'
import { callServer } from '../../core/calls/call-server.ts'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault, messageOf } from '../../core/fault.ts'
import { parseObject } from '../../core/json.ts'
import { statusPath } from '../wire/messages.ts'
import type { RelaySettings } from './relay-settings.ts'
import type { RelayedGatewayStatus } from './relay-status.ts'

const fileIn = (dataDir: string): string => join(dataDir, 'state', 'relay.json')
const timeoutMs = 5_000
const maxAnswerBytes = 1_048_576

/** Notes that a relay listens at `url`. Returns the function that removes the note. Throws a Fault. */
export const recordRelay = (dataDir: string, url: string): (() => void) => {
  const file = fileIn(dataDir)
  try {
    mkdirSync(join(dataDir, 'state'), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${JSON.stringify({ url, pid: process.pid })}\n`, { mode: 0o600 })
  } catch (error) {
    throw diskFault('write', file, error)
  }
  return () => rmSync(file, { force: true })
}

/** Asks the running relay for the state of each gateway, with the keys of its settings. Throws a Fault where no relay answers. */
export const askRelay = async (dataDir: string, { gateways }: RelaySettings): Promise<readonly RelayedGatewayStatus[]> => {
  const url = urlIn(dataDir)
  const states: RelayedGatewayStatus[] = []
  for (const { name, keys } of gateways.values()) {
    const { gateways: found } = await askFor(`${url}/${name}${statusPath}`, keys[0] ?? '')
    if (Array.isArray(found)) states.push(...(found as unknown as RelayedGatewayStatus[]))
  }
  return states
}

const none = (): Fault =>
  new Fault('unreachable', 'no relay runs on this data directory', { exitCode: exit.unreachable, hint: 'start it: headgate relay run' })

const urlIn = (dataDir: string): string => {
  try {
    const { url } = parseObject(readFileSync(fileIn(dataDir), 'utf8')) ?? {}
    if (typeof url === 'string') return url.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//127.0.0.1:')
  } catch {
    // There is no such file: no relay was started here.
  }
  throw none()
}

const askFor = async (url: string, key: string) => {
  const call = { headers: { authorization: `Bearer ${key}` }, timeoutMs, maxAnswerBytes }
  const answer = await callServer(url, call).catch((error) => {
    if (callFailure(error).kind === 'unsent') throw none()
    throw new Fault('unreachable', `the relay does not answer: ${messageOf(error)}`, { exitCode: exit.unreachable })
  })
  if (!answer.ok)
    throw new Fault('unreachable', `the relay answered ${answer.status}`, {
      exitCode: exit.unreachable,
      hint: 'where relay.yaml was changed, let the relay read it again: kill -HUP, or systemctl reload',
    })
  return parseObject(answer.bytes.toString()) ?? {}
}
