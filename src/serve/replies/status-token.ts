/** Makes and checks the tokens of status addresses: `<event id>.<end>.<seal>`. Whoever has a token may ask for the state of that run. */

import { createHmac } from 'node:crypto'
import { isSameSecret } from '../../secrets/same-secret.ts'

export type StatusTokens = {
  /** Makes the token for an event's run. `endsAt`: until when it is valid, in milliseconds since 1970. */
  readonly make: (eventId: string, endsAt: number) => string
  /** Returns the event's id; `undefined` for a forged token, and for one that is not valid at `now`. */
  readonly open: (token: string, now: number) => string | undefined
}

const form = /^([0-9a-f-]{36})\.([0-9a-z]{1,8})\.([\w-]{43})$/

/**
 * Seals tokens under `key`, which all gateways on a shared store have, and which lasts over restarts. The key seals other texts too, so the
 * text under this seal begins with words that no other has.
 */
export const createStatusTokens = (key: () => Uint8Array): StatusTokens => {
  const sealOf = (said: string): Buffer => createHmac('sha256', key()).update(`headgate status address 1\n${said}`).digest()
  return {
    make(eventId, endsAt) {
      const said = `${eventId}.${Math.ceil(endsAt / 1000).toString(36)}`
      return `${said}.${sealOf(said).toString('base64url')}`
    },
    open(token, now) {
      const [, eventId, ends, seal] = form.exec(token) ?? []
      if (eventId === undefined || ends === undefined || seal === undefined) return undefined
      const isOurs = isSameSecret(seal, sealOf(`${eventId}.${ends}`).toString('base64url'))
      return isOurs && now < Number.parseInt(ends, 36) * 1000 ? eventId : undefined
    },
  }
}
