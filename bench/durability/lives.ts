/**
 * Runs a gateway under load, one process after the other. Each process is one life of the gateway, and each life but the last ends by a kill
 * that is aimed at a moment.
 */

import { setTimeout as wait } from 'node:timers/promises'
import type { AgentLog } from './agent-log.ts'
import { type Aim, aims, type Kill, Scene } from './aims.ts'
import type { Event } from './client.ts'
import { type Gateway, type Line, launch } from './gateway.ts'
import { routeNames } from './mix.ts'
import type { Random } from './random.ts'
import type { Receiver } from './receiver.ts'
import { Senders } from './senders.ts'

export type World = {
  readonly dir: string
  readonly events: readonly Event[]
  readonly kills: number
  readonly random: Random
  readonly agents: AgentLog
  readonly receiver: Receiver
}

export type Lived = {
  readonly senders: Senders
  readonly kills: readonly Kill[]
  readonly logged: ReadonlySet<string>
  /** Log lines of level warn and above, by their message. */
  readonly warnings: ReadonlyMap<string, number>
  readonly startMs: readonly number[]
  /** The gateway in its last life, which nobody has killed. */
  readonly last: Gateway
}

const connections = 16
const readEveryMs = 10
const shownEvery = 5
/** A gateway listens after some hundred milliseconds. Kills at the start are aimed into that time, and shortly after it. */
const startMs = 600
const pauses = [0, 50, 120, 200]
const unexpectedEnd = 'the gateway ended by itself'

/** Returns the aims in turn, in an order that the seed decides. */
const aimsOf = (kills: number, random: Random): Aim[] =>
  random.shuffle(Array.from({ length: kills }, (_, i) => aims[i % aims.length] ?? 'random'))

/** Starts one life after another until every event has an answer. Throws when the gateway ends by itself. */
export const live = async (world: World): Promise<Lived> => {
  const { dir, events, kills: count, random, agents, receiver } = world
  const senders = new Senders(events)
  const kills: Kill[] = []
  const logged = new Set<string>()
  const warnings = new Map<string, number>()
  const startTimes: number[] = []
  const heard = ({ msg, level, delivery_id: id }: Line): void => {
    if (msg === 'delivered') logged.add(String(id))
    if (level === 'warn' || level === 'error') warnings.set(msg, (warnings.get(msg) ?? 0) + 1)
  }
  const begin = (life: number): [Gateway, Scene] => [
    launch(dir, { heard, env: { HEADGATE_BENCH_LIFE: String(life) } }),
    new Scene(life, agents, receiver),
  ]
  const reading = setInterval(() => agents.read(), readEveryMs)
  try {
    for (const [life, aim] of aimsOf(count, random).entries()) {
      const [gateway, scene] = begin(life)
      // The kills are spread evenly over the events, and some events are left for the last life.
      const share = Math.round((events.length * (life + 0.5 + random.number(0.5))) / (count + 1))
      const listens = aim === 'start' ? await mayListen(gateway, random) : await listening(gateway, senders, startTimes)
      if (aim !== 'start') await loadUntil(gateway, senders, scene, { share, aim, random })
      if (!gateway.isRunning()) throw new Error(`${unexpectedEnd}: ${gateway.complaints()}`)
      // The kill comes before the look, because looking takes time. In this turn of the event loop nothing that the look sees can change.
      gateway.kill()
      kills.push({ life, aim, at: performance.now(), met: scene.look(listens) })
      const { signal, code } = await gateway.ended
      if (signal !== 'SIGKILL') throw new Error(`${unexpectedEnd} with ${signal ?? code}: ${gateway.complaints()}`)
      if ((life + 1) % shownEvery === 0) console.error(`${life + 1} kills, ${senders.answers.size} of ${events.length} events answered`)
    }
    const [last, scene] = begin(count)
    await listening(last, senders, startTimes)
    await send(last, senders, scene, { pause: 0, goesOn: () => true })
    if (senders.left > 0) throw new Error(`${unexpectedEnd}: ${last.complaints()}`)
    return { senders, kills, logged, warnings, startMs: startTimes, last }
  } finally {
    clearInterval(reading)
  }
}

/** Waits for a moment in the start. Returns whether the gateway listens by then. */
const mayListen = async (gateway: Gateway, random: Random): Promise<boolean> =>
  Promise.race([gateway.listening.then(() => wait(random.number(50), true)), wait(random.number(startMs), false)])

const listening = async (gateway: Gateway, senders: Senders, startTimes: number[]): Promise<true> => {
  const url = await gateway.listening
  startTimes.push(performance.now() - gateway.startedAt)
  await senders.repeat(url, routeNames.length)
  return true
}

type Sending = { readonly pause: number; readonly goesOn: () => boolean }

const send = async (gateway: Gateway, senders: Senders, scene: Scene, { pause, goesOn }: Sending): Promise<void> =>
  senders.run({
    url: await gateway.listening,
    connections,
    pauseMs: () => pause,
    goesOn,
    answered: (answered) => scene.answered(answered),
  })

type Plan = { readonly share: number; readonly aim: Aim; readonly random: Random }

/** Sends load until this life's share of the events is answered, and goes on while the moment to kill is awaited. */
const loadUntil = async (gateway: Gateway, senders: Senders, scene: Scene, { share, aim, random }: Plan): Promise<void> => {
  const done = send(gateway, senders, scene, { pause: random.pick(pauses), goesOn: gateway.isRunning })
  while (senders.answers.size < share && senders.left > 0 && gateway.isRunning()) await wait(2)
  await scene.aim(aim, random, gateway.isRunning)
  // The load ends with the kill, or has ended before.
  void done
}
