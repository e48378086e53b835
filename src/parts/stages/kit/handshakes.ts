/**
 * Answers the handshakes of a route's senders: an unsigned question by its head or its short body, a signed question once its signature or
 * its credential is valid.
 */

import { type Refused, refuse } from '../../../core/outcome.ts'
import type { Authenticate, HandshakeOutcome, Handshakes, MaybePromise } from '../../../core/plan.ts'
import type { RequestBody, RequestHead, Verification } from '../../../core/request.ts'
import type { Route } from '../../../generated/config.ts'
import { ReadOnceBody } from '../../body/request-body.ts'
import type { Handshake, Scheme } from '../../schemes/scheme.ts'
import type { StageKit } from '../stage.ts'

/** The most bytes of the page at an address that confirms a subscription. */
const maxConfirmBytes = 65_536
const retryAfterSeconds = 10
const noBytes = Buffer.alloc(0)
const noBody = ({ headers }: RequestHead): RequestBody => new ReadOnceBody(headers, noBytes)
/** The longest body in which an unsigned question is searched for: without a valid signature, no longer body is parsed. */
const maxOpenBytes = 1_024

const refusedHandshake = (detail: string): Refused => refuse('forbidden', { detail: `handshake: ${detail}` })

/**
 * What handshakes need of the signature stage. `withPublicUrl`: returns a head with the address that the sender signed. `authenticate`:
 * checks the credential in a head.
 */
type HandshakeChecks = { readonly withPublicUrl: (head: RequestHead) => RequestHead; readonly authenticate: Authenticate }

/** Compiles the handshakes of a route; `undefined` where no scheme of the route has any. */
export const compileHandshakes = (
  route: Route,
  schemes: readonly Scheme[],
  kit: StageKit,
  { withPublicUrl, authenticate }: HandshakeChecks,
): Handshakes | undefined => {
  const { signed, unsigned, open, guarded } = sortHandshakes(route, schemes)
  if (signed.size === 0 && unsigned.length === 0 && guarded.length === 0) return undefined
  const answer = compileAnswers(route, kit)
  /** Returns the answer to the first of these questions that the request asks. */
  const firstAnswer = (asked: readonly Handshake[], head: RequestHead, body: RequestBody, secret = 0): HandshakeOutcome => {
    const signedHead = withPublicUrl(head)
    for (const handshake of asked) {
      const answered = handshake.method === head.method ? answer(handshake, signedHead, body, secret) : undefined
      // Only the answer to a signed handshake in a body can be a promise, because it waits until the sender's address is confirmed. Other
      // answers are there at once.
      if (answered && !(answered instanceof Promise)) return answered
    }
    return undefined
  }
  /** Answers a question whose head has a credential. Other requests are not verified here: each verification counts for the rate limit. */
  const onCredential = (head: RequestHead): MaybePromise<HandshakeOutcome> => {
    const body = noBody(head)
    if (!firstAnswer(guarded, head, body)) return undefined
    const verify = authenticate(head)
    const ended = (verification: Verification | Refused): HandshakeOutcome =>
      'kind' in verification ? verification : (verification.limited ?? firstAnswer(guarded, head, body, verification.secret))
    const verification = typeof verify === 'function' ? verify(body) : verify
    // The verification is a promise where several gateways share the rate limit, because the store then counts the request.
    return verification instanceof Promise ? verification.then(ended) : ended(verification)
  }
  return {
    methods: new Set([...unsigned, ...guarded].map(({ method }) => method).filter((method) => method !== 'POST')),
    onHead: (head) => firstAnswer(unsigned, head, noBody(head)),
    ...(guarded.length === 0 ? {} : { onCredential }),
    ...(open.length === 0 ? {} : { onUnsigned: (head) => (isShort(head) ? (body) => firstAnswer(open, head, body) : undefined) }),
    onVerified(head, body, { scheme, secret }) {
      for (const handshake of signed.get(scheme) ?? []) {
        const answered = answer(handshake, withPublicUrl(head), body, secret)
        if (answered) return answered
      }
      return undefined
    },
  }
}

/**
 * Sorts the handshakes of the schemes by the way in which a question is recognised. `signed`: by scheme, the questions in a POST, answered
 * once the signature of the POST is valid. `unsigned`: questions that the head shows. `open`: questions that the body shows, with or
 * without a signature. `guarded`: questions without a body, answered once the credential in the head is valid. A question in a body whose
 * event type the route lists in `events` is left out, because the route gets the question as an event.
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

/** Whether the head announces a body that is short enough to search for an unsigned question. */
const isShort = ({ headers }: RequestHead): boolean => {
  const length = headers['content-length']
  return length !== undefined && Number(length) <= maxOpenBytes
}

/** Answers a request that is the question of a handshake; `undefined` for any other request. `secret`: the index of the secret. */
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
