/**
 * `npm run bench:live [-- --rounds 20]`: what a watcher of live traffic costs the gateway, as processor time a request. The same gateway is
 * loaded without a watcher and with one, in turn, so that the machine's other work falls on both.
 */

import { mkdtempSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { controlSocket } from '../src/http/control/socket-path.ts'
import { type Running, root, runIn } from './contender.ts'
import { cpuUs } from './cpu.ts'
import { table } from './durability/table.ts'
import { machine } from './machine.ts'
import { median } from './median.ts'
import { post } from './payloads.ts'
import { awake, filtering, headgate } from './peers.ts'

const { values: given } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, seconds: { type: 'string', default: '1' } },
})
const seconds = Number(given.seconds)

/** The watchers. `question`: what each asks the gateway. `atMost`: the goal, against no watcher. */
const watchers = [
  { name: 'none', question: undefined, atMost: '' },
  { name: 'a console', question: { per_second: 200 }, atMost: '1.02' },
  { name: 'headgate webhook tail', question: {}, atMost: '' },
] as const

/** Watches until the returned function is called. */
const follow = (dataDir: string, question: object): (() => void) => {
  const sent = request({
    socketPath: controlSocket(dataDir),
    method: 'POST',
    path: '/tail',
    headers: { 'content-type': 'application/json' },
  })
  sent.on('response', (response) => response.resume().on('error', () => {}))
  sent.on('error', () => {})
  sent.end(JSON.stringify(question))
  return () => sent.destroy()
}

const measure = async ({ pid, load }: Running, dataDir: string, question: object | undefined): Promise<number> => {
  const stop = question && follow(dataDir, question)
  await wait(200)
  const before = cpuUs(pid)
  const { requests } = await load({ seconds })
  const spent = (cpuUs(pid) - before) / requests
  stop?.()
  return spent
}

const folder = mkdtempSync(join(root, 'live-'))
const contender = {
  name: 'headgate',
  peer: 'headgate',
  launch: headgate(() => ({ bench: filtering() }), 'memory', awake(1)),
  post: post('pr'),
  expected: { status: 200, text: '"reason":"filter"' },
} as const
const { cpu, cores, node } = machine()
console.log(`${cpu}, ${cores} cores, Node ${node}\n`)
await runIn(folder, contender, async (running) => {
  await running.load({ seconds: 5 })
  const spent = watchers.map((): number[] => [])
  for (let round = 0; round < Number(given.rounds); round++)
    for (const [i, { question }] of watchers.entries()) spent[i]?.push(await measure(running, join(folder, 'data'), question))
  const none = spent[0] ?? []
  const rows = watchers.map(({ name, atMost }, i) => {
    const own = spent[i] ?? []
    return [name, median(own).toFixed(0), median(own.map((us, round) => us / (none[round] ?? Number.NaN))).toFixed(3), atMost]
  })
  console.log(table(['watcher', 'us a request', 'of none', 'goal'], rows))
})
