/** Answers the questions of a route's schemes: those that nobody signs from the head, the others once their signature holds. */

import { type Refused, refuse } from '../../../core/outcome.ts'
import type { Handshakes, Shaken } from '../../../core/plan.ts'
import type { RequestHead } from '../../../core/request.ts'
import type { Route } from '../../../generated/config.ts'
import type { Handshake, Scheme } from '../../schemes/scheme.ts'
import type { StageKit } from '../stage.ts'

const maxConfirmBytes = 65_536
const retryAfterSeconds = 10
const nothing = Buffer.alloc(0)
/** Nobody has vouched for a body in which a question is looked for. */
const maxOpenBytes = 1_024

const refused = (detail: string): Refused => refuse('forbidden', { detail: `handshake: ${detail}` })

/** `undefined` for a route whose senders ask nothing. `seenAs`: the head as the sender signed it. */
export const handshakesOf = (
  route: Route,
  schemes: readonly Scheme[],
  kit: StageKit,
  seenAs: (head: RequestHead) => RequestHead,
): Handshakes | undefined => {
  const listed = ({ event }: Handshake): boolean => event !== undefined && route.events?.includes(event) === true
  const signed = new Map<string, readonly Handshake[]>()
  const unsigned: Handshake[] = []
  const open: Handshake[] = []
  for (const { name, byName, handshakes = [] } of schemes) {
    const own = handshakes.filter((each) => (each.signed || each.open) && !listed(each))
    if (own.length > 0) signed.set(name, own)
    if (!byName) continue
    unsigned.push(...handshakes.filter((each) => !each.signed && !each.open))
    open.push(...own.filter((each) => each.open))
  }
  if (signed.size === 0 && unsigned.length === 0) return undefined
  const answer = answering(route, kit)
  const first = (asked: readonly Handshake[], head: RequestHead, body: Buffer): Shaken => {
    for (const handshake of asked) {
      const shaken = handshake.method === head.method ? answer(handshake, seenAs(head), body, 0) : undefined
      // A question that nobody signs has no address to confirm, so nobody waits.
      if (shaken && !(shaken instanceof Promise)) return shaken
    }
    return undefined
  }
  return {
    methods: new Set(unsigned.map(({ method }) => method).filter((method) => method !== 'POST')),
    onHead: (head) => first(unsigned, head, nothing),
    ...(open.length === 0 ? {} : { onUnsigned: (head) => (isShort(head) ? (body) => first(open, head, body) : undefined) }),
    onVerified(head, body, { scheme, secret }) {
      for (const handshake of signed.get(scheme) ?? []) {
        const shaken = answer(handshake, seenAs(head), body, secret)
        if (shaken) return shaken
      }
      return undefined
    },
  }
}

const isShort = ({ headers }: RequestHead): boolean => {
  const length = headers['content-length']
  return length !== undefined && Number(length) <= maxOpenBytes
}

type Answer = (handshake: Handshake, head: RequestHead, body: Buffer, secret: number) => Shaken | Promise<Shaken>

const answering = ({ verify_token, confirm_subscriptions }: Route, { name, secrets, effects }: StageKit): Answer => {
  return (handshake, head, body, secret) => {
    const shaken = handshake.answer(head, body, { secret: secrets[secret] ?? '', verifyToken: verify_token })
    if (shaken === undefined || typeof shaken === 'string') return shaken === undefined ? undefined : refused(shaken)
    const done: Shaken = { kind: 'handshake', route: name, reply: shaken.reply }
    if (!shaken.confirm) return done
    if (confirm_subscriptions !== true)
      return refused('the sender asks to confirm a subscription, and the route has no confirm_subscriptions: true')
    if (!shaken.confirm.isAllowed) return refused("the address to confirm is none of the sender's")
    return effects.download(shaken.confirm.address, maxConfirmBytes).then(
      () => done,
      (error: Error) =>
        refuse('keys_unavailable', { retryAfterSeconds, detail: `the subscription could not be confirmed: ${error.message}` }),
    )
  }
}
