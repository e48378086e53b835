/**
 * An observer that copies a text of a route, delivered to a chat, into the session of that chat, if the route has `mirror_to_session` and
 * no session of its own (rules: Mirroring 1).
 */

import type { Clock } from '../core/clock.ts'
import type { Fact } from '../core/facts/fact.ts'
import type { Observer } from '../core/facts/facts.ts'
import { messageOf } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import { keptText } from '../core/session.ts'
import type { Route } from '../generated/config.ts'
import type { Store } from '../store/ports.ts'

type MirrorOptions = {
  readonly store: Pick<Store, 'mirror'>
  readonly clock: Clock
  readonly log: Log
  readonly redact: (text: string) => string
  readonly route: (name: string) => Route | undefined
}

/** Makes the observer. A failure to copy is only logged, because the text itself has been delivered. */
export const createMirrorObserver = ({ store, clock, log, redact, route }: MirrorOptions): Observer => {
  const open = new Set<Promise<void>>()
  const mirror = async ({ cause, text, chatAddress, target }: Extract<Fact, { kind: 'text_sent' }>): Promise<void> => {
    if (!chatAddress) return
    const fields = { profile: cause.profile, route: cause.route, delivery_id: cause.deliveryId, target }
    try {
      const copy = { role: 'user', text: keptText(redact(text)), at: clock.now(), label: cause.route } as const
      const became = await store.mirror(cause.profile, chatAddress, copy)
      if (became === 'several') log('warn', { ...fields, reason: 'the chat has several sessions' }, 'delivered text not mirrored')
      if (became === 'none') log('debug', { ...fields, reason: 'the chat has no session yet' }, 'delivered text not mirrored')
    } catch (error) {
      log('warn', { ...fields, reason: messageOf(error) }, 'delivered text not mirrored')
    }
  }
  return {
    handlers: {
      text_sent(fact) {
        if (!fact.ok || fact.cause.job !== undefined || !asksFor(route(fact.cause.route))) return
        const mirrored = mirror(fact)
        open.add(mirrored)
        void mirrored.finally(() => open.delete(mirrored))
      },
    },
    async flushed() {
      await Promise.all(open)
    },
  }
}

/** Whether the texts of a route are copied. A route with a session of its own needs no copies: its replies are in that session already. */
const asksFor = (route: Route | undefined): boolean => route?.mirror_to_session === true && route.session === undefined
