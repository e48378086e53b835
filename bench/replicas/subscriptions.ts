/** Makes subscriptions through one gateway while events come, and posts to these subscriptions at another gateway. */

import { execFile } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createClient, secret } from '../durability/client.ts'
import { main } from '../durability/lab.ts'
import type { Random } from '../durability/random.ts'
import type { Receiver } from '../durability/receiver.ts'
import { eventOf } from './mix.ts'
import type { Replica } from './replica.ts'

/**
 * How long another gateway may take to serve a new subscription. The aim is two seconds, but the mix keeps all processors busy, and a look
 * of a gateway at the shared entries may then take two seconds alone.
 */
const timeoutMs = 10_000
const postEveryMs = 50
/** The pause before a subscription is made, because the server may have been away a moment ago. */
const calmMs = 1_500

export class Subscriptions {
  readonly failures: string[] = []
  /** For each subscription, the time until another gateway served the subscription, or until `timeoutMs` had passed. */
  readonly servedMs: number[] = []
  readonly #replicas: readonly Replica[]
  readonly #sink: Receiver
  readonly #accepted: string[] = []
  #made = 0

  constructor(replicas: readonly Replica[], sink: Receiver) {
    this.#replicas = replicas
    this.#sink = sink
  }

  /** Makes the next subscription. Waits until another gateway serves the subscription, or reports that the wait was too long. */
  async make(random: Random): Promise<void> {
    await wait(calmMs)
    const [maker, other] = random.shuffle(this.#replicas.filter(({ isWell }) => isWell))
    if (!maker || !other) return
    const name = `made-${this.#made++}`
    const wanted = ['--prompt', 'id={id};', '--deliver', 'http', '--deliver-extra', `url=${this.#sink.url}/in`, '--secret', secret]
    const argv = [main, '--data-dir', maker.dir, 'webhook', 'subscribe', name, ...wanted]
    await promisify(execFile)(process.execPath, argv, { env: { ...process.env, ...maker.env } })
    const since = performance.now()
    const event = eventOf(name, `${name}-first`, 'k')
    const client = createClient(timeoutMs)
    let answer = ''
    while (answer !== '202 accepted' && performance.now() - since < timeoutMs) {
      const { status, said } = await client.post(other.url, event).catch((error: Error) => ({ status: 0, said: error.message }))
      answer = `${status} ${said}`
      await wait(postEveryMs)
    }
    client.close()
    const ms = performance.now() - since
    this.servedMs.push(ms)
    if (answer === '202 accepted') this.#accepted.push(event.id)
    else this.failures.push(`${name}, made at replica ${maker.index}: replica ${other.index} answers ${answer} after ${Math.round(ms)} ms`)
  }

  /** Returns a sentence for each event that a subscription accepted and that was never posted. */
  check(): string[] {
    return this.#accepted.flatMap((id) => {
      const times = this.#sink.posts.filter(({ deliveryId }) => deliveryId === id).length
      return times > 0 ? [] : [`${id} was accepted by a subscription, and never posted`]
    })
  }
}
