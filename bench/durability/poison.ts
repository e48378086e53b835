/**
 * Sends events whose run kills the gateway each time. They must be dead after exactly their attempts, and no other event may end with them.
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentLog, writeAgent } from './agent-log.ts'
import type { Event } from './client.ts'
import { statusOf, untilIdle } from './control.ts'
import { launch } from './gateway.ts'
import { readJournal, sumsOf } from './journal.ts'
import { folder } from './lab.ts'
import { configOf, writeConfig } from './mix.ts'
import { Senders } from './senders.ts'

const attempts = 3
const poisons = 3
const innocents = 60
const maxLives = poisons * attempts + 3

/** The agent kills its parent only if that is the gateway that the file names. */
const agentWork = (folderPath: string): string => `
reply=done
if [ "$HEADGATE_ROUTE" = poison ]; then
  sleep 0.05
  read -r gateway < '${join(folderPath, 'gateway.pid')}'
  [ "$gateway" = "$PPID" ] && kill -9 "$PPID"
  exit 1
fi
sleep 0.1`

export type Poisoned = { readonly lives: number; readonly failures: readonly string[]; readonly line: string }

export const poison = async (): Promise<Poisoned> => {
  const here = folder('poison')
  const dir = join(here, 'data')
  mkdirSync(dir)
  const route = { prompt: 'p', retry: { max_attempts: attempts, backoff: 0.1 } }
  writeConfig(dir, configOf({ poison: route, innocent: route }, writeAgent(here, agentWork(here))))
  const agents = new AgentLog(here, () => undefined)
  const ids = [...Array.from({ length: poisons }, (_, i) => `poison-${i}`), ...Array.from({ length: innocents }, (_, i) => `innocent-${i}`)]
  const events = ids.map((id): Event => ({ id, route: id.split('-')[0] ?? '', body: '{}' }))
  const senders = new Senders(events)

  let lives = 0
  for (let isDone = false; !isDone; lives++) {
    if (lives > maxLives) return { lives, line: '', failures: [`poison: the gateway was killed more than ${maxLives} times`] }
    const gateway = launch(dir, { env: { HEADGATE_BENCH_LIFE: String(lives) } })
    writeFileSync(join(here, 'gateway.pid'), `${gateway.pid}\n`)
    const url = await gateway.listening.catch(() => undefined)
    if (url !== undefined) await senders.run({ url, connections: 8, pauseMs: () => 0, goesOn: gateway.isRunning })
    isDone = await Promise.race([gateway.ended.then(() => false), untilIdle(dir, 60_000).then(() => true)]).catch(() => false)
    if (isDone) await gateway.stop()
    else if (gateway.isRunning() && (await statusOf(dir).catch(() => undefined))) throw new Error('poison: the backlog never became empty')
    await gateway.ended
  }
  agents.read()
  agents.close()
  return verdict(dir, agents, senders, lives)
}

const verdict = (dir: string, agents: AgentLog, senders: Senders, lives: number): Poisoned => {
  const sums = sumsOf(readJournal(dir))
  const startsOf = (id: string): number => agents.starts.get(id)?.length ?? 0
  const names = [...senders.answers.keys()]
  const failures = [
    ...senders.wrong,
    ...(names.length === poisons + innocents ? [] : [`poison: only ${names.length} events were answered`]),
    ...names.filter((id) => startsOf(id) === 0).map((id) => `poison: ${id} was accepted, and the agent never started`),
    ...names.filter((id) => startsOf(id) > attempts).map((id) => `poison: ${id} was started ${startsOf(id)} times`),
    ...sums.deadRuns
      .filter(({ route, error = '' }) => route !== 'poison' || !error.startsWith(`out of attempts after ${attempts}`))
      .map(({ delivery_id, error }) => `poison: ${delivery_id} is dead: ${error}`),
  ]
  if (sums.dead !== poisons) failures.push(`poison: ${sums.dead} runs are dead, not ${poisons}`)
  if (sums.done !== innocents) failures.push(`poison: ${sums.done} innocent runs are done, not ${innocents}`)
  const starts = names.filter((id) => id.startsWith('poison')).map(startsOf)
  const line = `poison: ${poisons} events killed the gateway ${lives - 1} times (starts ${starts.join(', ')}), then were dead; ${sums.done} others done`
  return { lives, failures, line }
}
