/** Sends the messages of alerts, tries again those that failed, and gives up after a few attempts. */

import { randomUUID } from 'node:crypto'
import { defaultProfile } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { within } from '../../core/turns/within.ts'
import type { AlertTested } from '../../generated/control.ts'
import { deliveriesOf } from '../../parts/destination.ts'
import type { Outgoing, Sent } from '../../parts/targets/target.ts'
import { delayAfter } from '../../runs/backoff.ts'
import { type Delivered, deliver } from '../../runs/deliver.ts'
import type { AlertMemory } from './memory.ts'
import type { AlertRule } from './rules.ts'
import type { AlertMessage, AlertState } from './state.ts'

export type AlertDeliveryOptions = {
  readonly clock: Clock
  readonly log: Log
  readonly memory: AlertMemory
  /** Sends a text with the settings of a rule. Never rejects. */
  readonly send: (outgoing: Outgoing, rule: AlertRule) => Promise<Sent>
  /** Whether a text that is sent twice to this target is posted only once. */
  readonly repeatable: (target: string) => boolean
}

const retry = { maxAttempts: 6, backoffMs: 60_000, maxDelayMs: 600_000 }
/** The longest time for sending a test message. */
const testBudgetMs = 30_000
/** How long a stop waits for a text that is being sent. Its message stays in the state until the target has answered. */
const closeMs = 5_000
/** An alert comes from no route, so its delivery never counts as the delivery of a route. */
const cause = { profile: defaultProfile, route: '' }

/** Sends the messages of the state. A message is changed in the memory before and after each attempt. */
export class AlertDelivery {
  readonly #options: AlertDeliveryOptions
  readonly #abort = new AbortController()
  /** The sendings under way, by the ids of their messages. */
  readonly #sending = new Map<string, Promise<void>>()

  constructor(options: AlertDeliveryOptions) {
    this.#options = options
  }

  /** Begins to send the messages that are due. */
  begin({ messages }: AlertState, rules: readonly AlertRule[]): void {
    for (const message of messages) {
      const rule = rules.find(({ id }) => id === message.rule)
      if (!rule || this.#sending.has(message.id) || message.nextAt > this.#options.clock.now()) continue
      const sending = this.#attempt(message, rule)
        .catch((error) => this.#options.log('warn', { reason: String(error) }, 'an alert could not be noted as sent'))
        .finally(() => this.#sending.delete(message.id))
      this.#sending.set(message.id, sending)
    }
  }

  /** Sends a test message to each target of a rule. */
  async test(rule: AlertRule): Promise<readonly AlertTested[]> {
    const summary = 'this is a test of your alerts'
    const about = {
      ...cause,
      text: `headgate: ${summary}`,
      alerts: [{ kind: 'test', severity: 'info', key: 'test', state: 'firing', summary }],
    } as const
    const sent = deliveriesOf(rule.destination).map(async (delivery, position): Promise<AlertTested> => {
      const outgoing = { ...about, deliveryId: `alert-test-${randomUUID()}`, delivery, position, budgetMs: testBudgetMs }
      const { ok, ...rest } = await this.#options.send(outgoing, rule)
      const words = 'why' in rest ? { why: rest.why } : 'detail' in rest && rest.detail !== undefined ? { detail: rest.detail } : {}
      return { rule: rule.number, target: delivery.target, ok, ...words }
    })
    return await Promise.all(sent)
  }

  /**
   * Aborts the messages that the next start may send again, and waits a little for messages whose repeat their target would not recognise.
   */
  async close(): Promise<void> {
    this.#abort.abort()
    await within(Promise.all(this.#sending.values()), closeMs, this.#options.clock, () => [])
  }

  async #attempt({ id, text, alerts, isBegun = false, progress }: AlertMessage, rule: AlertRule): Promise<void> {
    const { memory, send, repeatable } = this.#options
    const change = async (with_: (message: AlertMessage, state: AlertState) => void): Promise<void> => {
      await memory.update((state) => {
        const message = state.messages.find((each) => each.id === id)
        if (message) with_(message, state)
      })
    }
    await change((message) => {
      message.isBegun = true
    })
    const delivered = await deliver({
      run: { ...cause, deliveryId: id, delivery: rule.destination },
      traceparent: undefined,
      text,
      alerts,
      progress,
      interrupted: isBegun,
      resumed: isBegun,
      revived: false,
      send: (outgoing) => send(outgoing, rule),
      repeatable,
      signal: this.#abort.signal,
      answered: () => {},
      keep: async (kept) => {
        await change((message) => {
          message.progress = kept
        })
        return true
      },
      isOurs: async () => true,
    })
    await change((message, state) => this.#settle(message, state, delivered))
  }

  /** Takes a message that arrived or is given up from the state, and plans the next attempt of any other. */
  #settle(message: AlertMessage, state: AlertState, delivered: Delivered): void {
    const { clock, log } = this.#options
    const remove = (): void => {
      state.messages = state.messages.filter(({ id }) => id !== message.id)
    }
    message.isBegun = false
    if (delivered === 'lost') return
    if (delivered.kind === 'done') {
      delete state.lost[message.rule]
      remove()
      return
    }
    // A message that the stop broke off costs no attempt.
    if (!this.#abort.signal.aborted) message.tries++
    const fields = { rule: message.rule, attempt: message.tries, reason: delivered.error }
    if (delivered.kind === 'again' && message.tries < retry.maxAttempts) {
      message.nextAt = clock.now() + delayAfter(message.tries, retry, delivered.retryAfterMs)
      log('warn', fields, 'alert not delivered, it will be tried again')
      return
    }
    log('error', fields, 'alert not delivered')
    state.lost[message.rule] = (state.lost[message.rule] ?? 0) + 1
    remove()
  }
}
