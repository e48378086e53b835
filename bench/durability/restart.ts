/** Measures how long a gateway with a long queue takes to serve again, after an orderly stop and after a kill. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { rssMib } from '../cpu.ts'
import { createClient, healthOf } from './client.ts'
import { statusOf } from './control.ts'
import { flood } from './flood.ts'
import { type Gateway, launch } from './gateway.ts'
import { folder } from './lab.ts'
import { configOf, writeConfig } from './mix.ts'

export type Restart = {
  readonly after: string
  readonly queued: number
  readonly healthMs: number
  readonly acceptedMs: number
  readonly rssMib: number
}

const rounds = 2

export const restarts = async (count: number): Promise<Restart[]> => {
  const here = folder('restart')
  const dir = join(here, 'data')
  mkdirSync(dir)
  // A run that outlives its gateway ends when the folder is removed.
  const command = ['sh', '-c', `while [ -d '${here}' ]; do sleep 1; done`]
  writeConfig(
    dir,
    configOf({ work: { prompt: '{action} {number}' } }, command, {
      gateway: { max_concurrent_runs: 1, drain_seconds: 0, max_queued_runs: 10_000_000 },
    }),
  )
  let gateway = launch(dir)
  await flood({ url: await gateway.listening, routes: ['work'], count, name: 'queued' })
  const found: Restart[] = []
  for (let round = 0; round < rounds; round++) {
    for (const after of ['SIGTERM', 'SIGKILL'] as const) {
      if (after === 'SIGTERM') await gateway.stop()
      else gateway.kill()
      await gateway.ended
      gateway = launch(dir)
      found.push(await measure(gateway, after, `again-${found.length}`))
    }
  }
  await gateway.stop()
  return found
}

const measure = async (gateway: Gateway, after: string, id: string): Promise<Restart> => {
  const url = await gateway.listening
  while ((await healthOf(url)) !== 200) await wait(2)
  const healthMs = performance.now() - gateway.startedAt
  const client = createClient()
  const { status } = await client.post(url, { id, route: 'work', body: '{}' })
  const acceptedMs = performance.now() - gateway.startedAt
  client.close()
  if (status !== 202) throw new Error(`after the restart an event was answered with ${status}`)
  await wait(500)
  const { backlog } = await statusOf(gateway.dir)
  return { after, queued: backlog, healthMs, acceptedMs, rssMib: rssMib(gateway.pid) }
}
