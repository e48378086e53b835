/**
 * Runs a request through a route's plan, in two halves: `checkHead` runs the steps that need only the head, and returns the function that
 * takes the body. `runVerified` runs a request whose signature was checked. `beginRequest` takes a request of any method. This file knows no
 * part by name.
 */

import { randomUUID } from 'node:crypto'
import type { EndedRequest } from '../core/facts/fact.ts'
import { header, isPrefetch } from '../core/headers.ts'
import { type Ignored, type Outcome, type Refused, refuse } from '../core/outcome.ts'
import { outcomeStatus } from '../core/outcome-table.ts'
import type { EventPlan, HandshakeOutcome, RoutePlan, VerifyBody } from '../core/plan.ts'
import type { Event, Headers, RequestBody, RequestHead, Verification, VerifiedRequest } from '../core/request.ts'
import { inflatedHead, isCompressed, withoutEncoding } from '../parts/body/inflate.ts'
import { ReadOnceBody } from '../parts/body/request-body.ts'
import { endStage, runItems } from './items.ts'
import { beginWait, endWait, forgetPayload, noteEvent, type Trail, trailAt, type WaitClock } from './trail.ts'

/** Observes how a request runs through its plan. */
export type Watch = {
  /**
   * Called after each stage, for debug logs. `ended`: the outcome where the stage ended the request. `event`: the event as it is after the
   * stage; absent before the body is parsed, and where the stage ended the request.
   */
  readonly stage?: (stage: string, ended: Outcome | undefined, event?: Event) => void
  /** Times the waits of stages, for traces. For a stage that does not wait, the clock is not read. */
  readonly clock?: WaitClock | undefined
}

/** Takes the body of an admitted request, and runs the request to its end. */
export type OnBody = (body: Buffer) => EndedRequest | Promise<EndedRequest>

/**
 * Begins a request: runs the steps that need only its head. Returns the end of the request, or the function that takes its body. Gives a
 * promise only for a request without a body.
 */
export const beginRequest = (plan: RoutePlan, head: RequestHead, watch?: Watch): EndedRequest | OnBody | Promise<EndedRequest | OnBody> =>
  head.method === 'POST' && !plan.methods ? checkHead(plan, head, watch) : beginOther(plan, head, watch)

/** Begins a request that is no POST, or that comes to a route which names its methods. */
const beginOther = (plan: RoutePlan, head: RequestHead, watch?: Watch): EndedRequest | OnBody | Promise<EndedRequest | OnBody> => {
  const { method, headers } = head
  const isPreview = method === 'HEAD' ? plan.methods?.has('GET') === true : method === 'GET' && isPrefetch(headers)
  if (!isPreview && !(plan.methods?.has(method) ?? method === 'POST')) return answerHandshake(plan, head, watch)
  // The body of a GET means nothing (RFC 9110, 9.3.1), so a sender that has one means something else.
  if (bodiless.has(method) && announcesBody(headers)) {
    return { outcome: refuse('bad_json', { detail: `a ${method} with a body` }), stage: plan.parse.stage }
  }
  const begin = (): EndedRequest | OnBody => (isPreview ? checkPreview(plan, head, watch) : checkHead(plan, head, watch))
  if (!plan.handshakes?.onCredential || !bodiless.has(method)) return begin()
  const isOther = ({ outcome }: EndedRequest): boolean => outcome.kind === 'refused' && outcome.code === 'wrong_method'
  return Promise.resolve(answerHandshake(plan, head, watch)).then((ended) => (isOther(ended) ? begin() : ended))
}

const bodiless: ReadonlySet<string> = new Set(['GET', 'HEAD'])

const announcesBody = (headers: Headers): boolean =>
  header(headers, 'transfer-encoding') !== undefined || Number(header(headers, 'content-length') ?? 0) > 0

/**
 * Checks a request that only looks at the address: a HEAD, or a prefetch. It starts nothing, whoever sends it. Where its credential is
 * valid, it leaves a record, so that whoever wonders who calls the address finds it.
 */
const checkPreview = (plan: RoutePlan, head: RequestHead, watch?: Watch): EndedRequest | OnBody => {
  const ended = runHeadGates(plan, head, watch)
  if (ended) return ended
  const { stage } = plan.authenticate
  const end = (outcome: Refused | Ignored, more: Pick<EndedRequest, 'verified' | 'unverified'>): EndedRequest => {
    watch?.stage?.(stage, outcome)
    return { outcome, stage, ...more }
  }
  const verifyBody = plan.authenticate.run(head)
  if (typeof verifyBody !== 'function') return end(verifyBody, { unverified: head })
  return async (bytes) => {
    const read = new ReadOnceBody(head.headers, bytes)
    const verification = await verifyBody(read)
    if ('kind' in verification) return end(verification, { unverified: head })
    const detail = (): string => `preview: ${head.method === 'HEAD' ? 'a HEAD' : 'a prefetch'} starts nothing`
    const outcome: Ignored = { kind: 'ignored', reason: 'preview', route: plan.name, detail }
    return end(verification.limited ?? outcome, { verified: keptBy(plan, maskedBy(plan, verifiedRequest(head, read, verification))) })
  }
}

/** Runs the steps that need only the head. Returns the end of the request, or the function that takes its body. */
const checkHead = (plan: RoutePlan, head: RequestHead, watch?: Watch): EndedRequest | OnBody => {
  const ended = runHeadGates(plan, head, watch)
  if (ended) return ended
  const { stage } = plan.authenticate
  const verifyBody = plan.authenticate.run(head)
  if (typeof verifyBody === 'function') {
    if (isCompressed(head.headers)) return (bytes) => inflateAndRun(plan, head, verifyBody, bytes, watch)
    return (bytes) => verifyAndRun(plan, head, verifyBody, new ReadOnceBody(head.headers, bytes), watch)
  }
  const refused = (): EndedRequest => {
    watch?.stage?.(stage, verifyBody)
    return { outcome: verifyBody, stage, unverified: head }
  }
  // A sender may send a handshake without a signature. Then only its body shows whether the request is a handshake.
  const ask = verifyBody.code === 'bad_signature' ? plan.handshakes?.onUnsigned?.(head) : undefined
  if (!ask) return refused()
  return (bytes) => {
    const outcome = ask(new ReadOnceBody(head.headers, bytes))
    if (!outcome) return refused()
    watch?.stage?.(stage, outcome)
    return { outcome, stage }
  }
}

/** Runs the gates of the head, and answers a handshake that needs neither body nor signature. */
const runHeadGates = (plan: RoutePlan, head: RequestHead, watch?: Watch): EndedRequest | undefined => {
  for (const { stage, run } of plan.onHead) {
    const outcome = run(head)
    watch?.stage?.(stage, outcome)
    if (outcome)
      return outcome.isCheckedLater ? { outcome, stage, later: checkAfterAnswer(plan, head, { outcome, stage }) } : { outcome, stage }
  }
  const outcome = plan.handshakes?.onHead(head)
  if (!outcome) return undefined
  const { stage } = plan.authenticate
  watch?.stage?.(stage, outcome)
  return { outcome, stage }
}

/**
 * Returns the check that a refused request gets after its answer: the remaining gates of the head, then the signature. Where the request
 * passes all of these, its record keeps the whole request, so that an operator can replay it: many senders never send again.
 */
const checkAfterAnswer =
  (plan: RoutePlan, head: RequestHead, ended: EndedRequest): NonNullable<EndedRequest['later']> =>
  (bytes) => {
    const passed = plan.onHead.findIndex(({ stage }) => stage === ended.stage) + 1
    if (plan.onHead.slice(passed).some(({ run }) => run(head) !== undefined)) return ended
    const verifyBody = plan.authenticate.run(head)
    if (typeof verifyBody !== 'function') return ended
    if (!isCompressed(head.headers)) return verifyLate(plan, head, ended, verifyBody, bytes)
    return plan
      .inflate(head, bytes)
      .then((inflated) => ('kind' in inflated ? ended : verifyLate(plan, inflatedHead(head, bytes), ended, verifyBody, inflated)))
  }

const verifyLate = (
  plan: RoutePlan,
  head: RequestHead,
  ended: EndedRequest,
  verifyBody: VerifyBody,
  bytes: Buffer,
): EndedRequest | Promise<EndedRequest> => {
  const read = new ReadOnceBody(head.headers, bytes)
  const known = (verification: Verification | Refused): EndedRequest => {
    if ('kind' in verification) return ended
    const masked = maskedBy(plan, verifiedRequest(head, read, verification))
    const verified = keptBy(plan, masked)
    const event = plan.parse.run(masked)
    return { ...ended, verified, event: 'kind' in event ? undefined : redactedBy(plan, event) }
  }
  const verification = verifyBody(read)
  return verification instanceof Promise ? verification.then(known) : known(verification)
}

const verifiedRequest = (head: RequestHead, read: RequestBody, verification: Verification): VerifiedRequest => {
  const { method, pathAndQuery, headers, remote, at, kept } = head
  return { eventId: randomUUID(), method, pathAndQuery, headers, remote, at, kept, body: read.bytes, verification, read }
}

/** Answers a request whose method the route does not take for events. It may be a handshake; any other request is refused. */
const answerHandshake = (plan: RoutePlan, head: RequestHead, watch?: Watch): EndedRequest | Promise<EndedRequest> => {
  const ended = runHeadGates(plan, head, watch)
  if (ended) return ended
  const { stage } = plan.authenticate
  const answered = (outcome: HandshakeOutcome): EndedRequest => {
    if (outcome) watch?.stage?.(stage, outcome)
    return { outcome: outcome ?? refuse('wrong_method', plan.methods ? { allow: [...plan.methods].join(', ') } : {}), stage }
  }
  const outcome = plan.handshakes?.onCredential?.(head)
  return outcome instanceof Promise ? outcome.then(answered) : answered(outcome)
}

/**
 * Inflates a compressed body, and goes on with it as with one that came so. Where it cannot be inflated, the credential of the request may
 * be in its head, and valid: then the refusal leaves a record.
 */
const inflateAndRun = async (
  plan: RoutePlan,
  head: RequestHead,
  verifyBody: VerifyBody,
  bytes: Buffer,
  watch?: Watch,
): Promise<EndedRequest> => {
  const inflated = await plan.inflate(head, bytes)
  if (Buffer.isBuffer(inflated)) {
    const plain = inflatedHead(head, bytes)
    return await verifyAndRun(plan, plain, verifyBody, new ReadOnceBody(plain.headers, inflated), watch)
  }
  const end = (outcome: Refused, { stage }: { readonly stage: string }, verified?: VerifiedRequest): EndedRequest => {
    watch?.stage?.(stage, outcome)
    return { outcome, stage, ...(verified ? { verified: keptBy(plan, maskedBy(plan, verified)) } : {}) }
  }
  if (inflated.code === 'overloaded') return end(inflated, plan.authenticate)
  const read = new ReadOnceBody(head.headers, bytes)
  const verification = await verifyBody(read)
  if (!('kind' in verification)) {
    watch?.stage?.(plan.authenticate.stage, undefined)
    return end(inflated, plan.parse, verifiedRequest(head, read, verification))
  }
  // A body that is too large is refused whoever sends it.
  if (inflated.code === 'too_large' || verification.code !== 'bad_signature') {
    return end(inflated.code === 'too_large' ? inflated : verification, plan.authenticate)
  }
  return end({ ...verification, detail: [verification.detail, inflated.detail].join('; ') }, plan.authenticate)
}

const verifyAndRun = (
  plan: RoutePlan,
  head: RequestHead,
  verifyBody: VerifyBody,
  body: RequestBody,
  watch?: Watch,
): EndedRequest | Promise<EndedRequest> => {
  const verification = verifyBody(body)
  return verification instanceof Promise
    ? verification.then((settled) => afterVerification(plan, head, body, settled, watch))
    : afterVerification(plan, head, body, verification, watch)
}

/** Refuses a request whose signature does not hold, and goes on with any other. */
const afterVerification = (
  plan: RoutePlan,
  head: RequestHead,
  read: RequestBody,
  verification: Verification | Refused,
  watch?: Watch,
): EndedRequest | Promise<EndedRequest> => {
  const { stage } = plan.authenticate
  if ('kind' in verification) {
    watch?.stage?.(stage, verification)
    // The record of a refused request keeps the body, so that an operator can check it again later. But what a route redacts must never be
    // stored, and that check would need it: so the record of a route with `redact` has no body.
    return { outcome: verification, stage, unverified: plan.redact ? head : { ...head, body: read.bytes } }
  }
  watch?.stage?.(stage, undefined)
  const request = verifiedRequest(head, read, verification)
  if (verification.limited) return { outcome: verification.limited, stage, verified: keptBy(plan, maskedBy(plan, request)) }
  const reading = read.readInTurns()
  return reading ? reading.then(() => greetAndRun(plan, head, request, read, watch)) : greetAndRun(plan, head, request, read, watch)
}

/** Answers a verified handshake, and runs any other request. */
const greetAndRun = (
  plan: RoutePlan,
  head: RequestHead,
  request: VerifiedRequest,
  read: RequestBody,
  watch?: Watch,
): EndedRequest | Promise<EndedRequest> => {
  const { stage } = plan.authenticate
  if (!plan.handshakes) return parseAndEnd(plan, request, watch, plan.awaitReply)
  const end = (outcome: HandshakeOutcome): EndedRequest | Promise<EndedRequest> => {
    if (!outcome) return parseAndEnd(plan, request, watch, plan.awaitReply)
    return { outcome, stage, verified: keptBy(plan, maskedBy(plan, request)) }
  }
  const answered = plan.handshakes.onVerified(head, read, request.verification)
  return answered instanceof Promise ? answered.then(end) : end(answered)
}

/**
 * Masks the secrets in a verified request before stages and records get the request. The signature has been checked, so nothing needs the
 * secrets any more.
 */
const maskedBy = ({ mask }: RoutePlan, request: VerifiedRequest): VerifiedRequest => (mask ? mask(request) : request)

/** Returns a masked request as records keep it. */
const keptBy = ({ redact }: RoutePlan, masked: VerifiedRequest): VerifiedRequest => (redact ? redact.request(masked) : masked)

const redactedBy = ({ redact }: RoutePlan, event: Event): Event => (redact ? redact.event(event) : event)

/**
 * Runs a verified request that no sender waits for, such as the replay of a stored one. A request whose compressed body could not be
 * inflated was stored as it came, and is inflated now.
 */
export const runVerified = (plan: RoutePlan, given: VerifiedRequest, watch?: Watch): EndedRequest | Promise<EndedRequest> => {
  if (!isCompressed(given.headers)) return parseAndEnd(plan, given, watch)
  return plan.inflate(given, given.body).then((inflated) => {
    if (!('kind' in inflated)) return parseAndEnd(plan, { ...given, headers: withoutEncoding(given.headers), body: inflated }, watch)
    watch?.stage?.(plan.parse.stage, inflated)
    return { outcome: inflated, stage: plan.parse.stage, verified: given }
  })
}

/**
 * Runs a verified request from the parsing of its body to its end. An error in a stage ends the request as `internal`. `awaitReply`:
 * present where a sender waits who takes the reply of the run as the answer.
 */
const parseAndEnd = (
  plan: RoutePlan,
  given: VerifiedRequest,
  watch?: Watch,
  awaitReply?: RoutePlan['awaitReply'],
): EndedRequest | Promise<EndedRequest> => {
  const masked = maskedBy(plan, given)
  const request = keptBy(plan, masked)
  const trail = trailAt(plan.parse.stage, undefined, awaitReply)
  const end = (outcome: Outcome): EndedRequest | Promise<EndedRequest> => {
    const claimed = outcome.kind === 'ignored' && trail.event ? plan.claimIgnored?.(trail.event, request.verification.scheme) : undefined
    if (!claimed) return endedAs(outcome)
    beginWait(trail, watch?.clock)
    return claimed.then((refused) => endedAs(refused ?? outcome))
  }
  const endedAs = (outcome: Outcome): EndedRequest => {
    const stage = endStage(outcome, trail)
    watch?.stage?.(stage, outcome)
    endWait(trail, stage, watch?.clock)
    const { event, whole, waits, items, awaited } = trail
    const isAwaited = outcome.kind === 'accepted'
    if (!isAwaited) awaited?.leave()
    const ended = { outcome, stage, verified: request, event, waits, items, awaited: isAwaited ? awaited : undefined }
    return plan.respond && whole && outcomeStatus(outcome) < 300 ? { ...ended, reply: plan.respond(whole, outcome) } : ended
  }
  try {
    const outcome = parseAndRun(plan, masked, trail, watch)
    return outcome instanceof Promise ? outcome.then(end, (error) => end(internalError(error))) : end(outcome)
  } catch (error) {
    return end(internalError(error))
  }
}

const parseAndRun = (plan: RoutePlan, request: VerifiedRequest, trail: Trail, watch?: Watch): Outcome | Promise<Outcome> => {
  const parsed = plan.parse.run(request)
  if ('kind' in parsed) return parsed
  const event = redactedBy(plan, parsed)
  noteEvent(trail, event)
  watch?.stage?.(trail.stage, undefined, event)
  if (!plan.split) return applyGates(plan, trail, event, 0, watch)
  const items = plan.split.items(event, request)
  if (items && 'kind' in items) return items
  if (items?.[0]) watch?.stage?.(trail.stage, undefined, items[0])
  beginWait(trail, watch?.clock)
  return runItems({ plan, split: plan.split, trail, request, event, items }, (through, of, item, index) =>
    applyGates(through, of, item, 0, index === 0 ? watch : undefined),
  )
}

/**
 * Runs the gates of the event from index `first` on, then the ending. Returns a promise only where a gate or the ending has returned one.
 */
const applyGates = (plan: EventPlan, trail: Trail, start: Event, first: number, watch?: Watch): Outcome | Promise<Outcome> => {
  let event = start
  for (let i = first; i < plan.onEvent.length; i++) {
    const { stage, run } = plan.onEvent[i] as RoutePlan['onEvent'][number]
    trail.stage = stage
    const next = run(event)
    if (next instanceof Promise) {
      beginWait(trail, watch?.clock)
      return next.then((settled) => {
        if ('kind' in settled) return settled
        endWait(trail, stage, watch?.clock)
        noteEvent(trail, settled)
        watch?.stage?.(stage, undefined, settled)
        return applyGates(plan, trail, settled, i + 1, watch)
      })
    }
    if ('kind' in next) return next
    event = next
    noteEvent(trail, next)
    watch?.stage?.(stage, undefined, next)
  }
  trail.stage = plan.ending.stage
  trail.awaited = trail.awaitReply?.(event)
  const outcome = plan.ending.run(event)
  if (outcome instanceof Promise) {
    beginWait(trail, watch?.clock)
    if (!plan.respond) forgetPayload(trail, event)
  }
  return outcome
}

/** Returns the refusal of a request whose plan threw an error: a bug of ours. The sender may try again, and the log gets the stack. */
export const internalError = (thrown: unknown): Refused =>
  refuse('internal', { detail: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) })
