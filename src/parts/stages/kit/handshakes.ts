/** Answers the questions of a route's senders: unsigned questions by their head, the others once their signature or credential holds. */

import { type Refused, refuse } from '../../../core/outcome.ts'
import type { Authenticate, HandshakeOutcome, Handshakes } from '../../../core/plan.ts'
import type { RequestBody, RequestHead } from '../../../core/request.ts'
import type { Route } from '../../../generated/config.ts'
import { ReadOnceBody } from '../../body/request-body.ts'
import type { Handshake, Scheme } from '../../schemes/scheme.ts'
import type { StageKit } from '../stage.ts'

const maxConfirmBytes = 65_536
const retryAfterSeconds = 10
const noBytes = Buffer.alloc(0)
const noBody = ({ headers }: RequestHead): RequestBody => new ReadOnceBody(headers, noBytes)
/** The longest body in which an unsigned question is looked for, because nobody vouched for the body. */
const maxOpenBytes = 1_024

const refusedHandshake = (detail: string): Refused => refuse('forbidden', { detail: `handshake: ${detail}` })

/** `seenAs`: returns the head as the sender signed it. `authenticate`: checks a credential in the head. */
type HandshakeChecks = { readonly seenAs: (head: RequestHead) => RequestHead; readonly authenticate: Authenticate }

/** Compiles the handshakes of a route; `undefined` where its senders ask nothing. */
export const handshakesOf = (
  route: Route,
  schemes: readonly Scheme[],
  kit: StageKit,
  { seenAs, authenticate }: HandshakeChecks,
): Handshakes | undefined => {
  const { signed, unsigned, open, guarded } = sortHandshakes(route, schemes)
  if (signed.size === 0 && unsigned.length === 0 && guarded.length === 0) return undefined
  const answer = compileAnswers(route, kit)
  const first = (asked: readonly Handshake[], head: RequestHead, body: RequestBody, secret = 0): HandshakeOutcome => {
    const seen = seenAs(head)
    for (const handshake of asked) {
      const answered = handshake.method === head.method ? answer(handshake, seen, body, secret) : undefined
      // An unsigned question has no address to confirm, so its answer is never a promise.
      if (answered && !(answered instanceof Promise)) return answered
    }
    return undefined
  }
  const ofHolder = (head: RequestHead): HandshakeOutcome => {
    const body = noBody(head)
    if (!first(guarded, head, body)) return undefined
    const verify = authenticate(head)
    const verification = typeof verify === 'function' ? verify(body) : verify
    if (verification instanceof Promise) return undefined
    if ('kind' in verification) return verification
    return verification.limited ?? first(guarded, head, body, verification.secret)
  }
  return {
    methods: new Set([...unsigned, ...guarded].map(({ method }) => method).filter((method) => method !== 'POST')),
    onHead: (head) => first(unsigned, head, noBody(head)) ?? (guarded.length === 0 ? undefined : ofHolder(head)),
    ...(open.length === 0 ? {} : { onUnsigned: (head) => (isShort(head) ? (body) => first(open, head, body) : undefined) }),
    onVerified(head, body, { scheme, secret }) {
      for (const handshake of signed.get(scheme) ?? []) {
        const answered = answer(handshake, seenAs(head), body, secret)
        if (answered) return answered
      }
      return undefined
    },
  }
}

/**
 * Sorts the handshakes of the schemes. `signed`: by scheme. `open`: in a body that is not signed. `guarded`: without a body, with a
 * credential that is checked.
 */
const sortHandshakes = (route: Route, schemes: readonly Scheme[]) => {
  const listed = ({ event }: Handshake): boolean => event !== undefined && route.events?.includes(event) === true
  const signed = new Map<string, readonly Handshake[]>()
  const all = schemes.flatMap(({ name, byName, handshakes = [] }) => {
    const own = handshakes.filter((each) => each.method === 'POST' && (each.signed || each.open) && !listed(each))
    if (own.length > 0) signed.set(name, own)
    return byName ? handshakes : []
  })
  return {
    signed,
    unsigned: all.filter((each) => !each.signed && !each.open),
    open: all.filter((each) => each.open && !listed(each)),
    guarded: all.filter((each) => each.signed && each.method !== 'POST'),
  }
}

const isShort = ({ headers }: RequestHead): boolean => {
  const length = headers['content-length']
  return length !== undefined && Number(length) <= maxOpenBytes
}

type AnswerHandshake = (
  handshake: Handshake,
  head: RequestHead,
  body: RequestBody,
  secret: number,
) => HandshakeOutcome | Promise<HandshakeOutcome>

const compileAnswers = ({ verify_token, confirm_subscriptions }: Route, { name, secrets, effects }: StageKit): AnswerHandshake => {
  return (handshake, head, body, secret) => {
    const answered = handshake.answer(head, body, { secret: secrets[secret] ?? '', verifyToken: verify_token })
    if (answered === undefined || typeof answered === 'string') return answered === undefined ? undefined : refusedHandshake(answered)
    const done: HandshakeOutcome = { kind: 'handshake', route: name, reply: answered.reply }
    if (!answered.confirm) return done
    if (confirm_subscriptions !== true)
      return refusedHandshake('the sender asks to confirm a subscription, and the route has no confirm_subscriptions: true')
    if (!answered.confirm.isAllowed) return refusedHandshake("the address to confirm is none of the sender's")
    return effects.download(answered.confirm.address, maxConfirmBytes).then(
      () => done,
      (error: Error) =>
        refuse('keys_unavailable', { retryAfterSeconds, detail: `the subscription could not be confirmed: ${error.message}` }),
    )
  }
}
