/** Waits for the moments at which kills are aimed, and says what a kill in fact hit. */

import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { AgentLog } from './agent-log.ts'
import { isCoalesced, jobOf, startsJob, windowMs } from './mix.ts'
import type { Random } from './random.ts'
import type { Receiver } from './receiver.ts'
import type { Answered } from './senders.ts'

export const aims = ['random', 'accepted', 'agent', 'delivery', 'coalesce', 'cron', 'start'] as const
export type Aim = (typeof aims)[number]

/** What a kill hit, counted in runs or requests. `start`: before the gateway listened. */
export type Met = {
  readonly accepted: number
  readonly agent: number
  readonly delivery: number
  readonly coalesce: number
  readonly cron: number
  readonly start: number
}

export type Kill = { readonly life: number; readonly aim: Aim; readonly at: number; readonly met: Met }

/** How near a kill must be to the moment at which it is aimed. */
const rightAfterMs = 3
const timeoutMs = 3_000

/** What can be seen of a life of the gateway from outside. */
export class Scene {
  readonly life: number
  readonly #agents: AgentLog
  readonly #receiver: Receiver
  readonly #recent: Answered[] = []

  constructor(life: number, agents: AgentLog, receiver: Receiver) {
    this.life = life
    this.#agents = agents
    this.#receiver = receiver
  }

  answered(answered: Answered): void {
    if (answered.state === 'accepted') this.#recent.push(answered)
  }

  look(listens: boolean): Met {
    this.#agents.read()
    const now = performance.now()
    const running = this.#agents.running(this.life)
    const waiting = this.#recent.filter(({ event }) => !this.#agents.starts.has(event.id))
    const isJob = (route: string, id: string): boolean => jobOf(route, id) !== undefined
    return {
      accepted: waiting.filter(({ event }) => !isCoalesced(event.route)).length,
      agent: running.length,
      delivery: this.#receiver.open(),
      coalesce: waiting.filter(({ event, at }) => isCoalesced(event.route) && now - at < windowMs).length,
      cron: running.filter(({ route, id }) => isJob(route, id)).length + (Date.now() % 1000 < 40 ? 1 : 0),
      start: listens ? 0 : 1,
    }
  }

  /** Resolves when the moment has come, or when it is clear that it does not come. */
  async aim(aim: Aim, random: Random, isRunning: () => boolean): Promise<void> {
    if (aim === 'random' || aim === 'start') return wait(random.number(200)).then(() => {})
    // The schedule starts its job at the full second. The kill comes within the run of the job.
    if (aim === 'cron') return wait(1_000 - (Date.now() % 1_000) + random.number(40)).then(() => {})
    const giveUpAt = performance.now() + timeoutMs
    while (isRunning() && performance.now() < giveUpAt && !this.#has(aim)) await nextTurn()
    if (aim !== 'accepted') await wait(random.number(aim === 'coalesce' ? windowMs / 2 : 4))
  }

  #has(aim: Aim): boolean {
    if (aim === 'agent' || aim === 'delivery') return this.look(true)[aim] > 0
    const last = this.#recent.at(-1)
    if (!last || performance.now() - last.at > rightAfterMs) return false
    return aim === 'coalesce' ? isCoalesced(last.event.route) : !isCoalesced(last.event.route) && !startsJob(last.event.route)
  }
}
