/**
 * Guards a plugin's signature scheme: when a check throws or gives back something that the contract does not allow, also a promise, the
 * request is refused, and the log says why. Members that a plugin's scheme may not have are left out.
 */

import { exit, Fault } from '../core/fault.ts'
import type { Headers } from '../core/request.ts'
import type { Closable } from '../core/scope.ts'
import { printable } from '../core/text.ts'
import type { CheckBody, CheckHead, RefusalReason, Scheme, Signed, Unsigned } from '../parts/schemes/scheme.ts'
import { guardedRun } from './closing.ts'
import { failure, type Hide, hidingToo } from './report-as.ts'
import { isMap } from './shape.ts'

/** Returns a scheme that calls the plugin's scheme. The checks and `shows` of the result never throw, and its `sign` throws only Faults. */
export const guardedScheme = (given: Scheme, hideKnown: Hide): Scheme => {
  const { name, title } = given
  /** The failure of `shows` for a request, kept until `checkHead` returns it. The object of the headers stands for the request. */
  const showsFailures = new WeakMap<Headers, RefusalReason>()
  /** The id that the valid signature of a request covers. */
  const signedIds = new WeakMap<Headers, string>()

  const shows = (headers: Headers): boolean => {
    try {
      return given.shows(headers) === true
    } catch (error) {
      // After an error, this scheme decides and refuses: after `false`, a weaker scheme could accept the request.
      showsFailures.set(headers, failedIn('shows', error, hideKnown))
      return true
    }
  }
  const checkBody =
    (check: CheckBody, headers: Headers, hide: Hide): CheckBody =>
    (body) => {
      try {
        const holds = whyOr(true, check(body), hide)
        if (holds !== true || !given.signedId) return holds
        const id: unknown = given.signedId(headers)
        if (typeof id === 'string') signedIds.set(headers, id)
        return id === undefined || typeof id === 'string' || 'its signedId gave no text'
      } catch (error) {
        return failedIn('check of a body', error, hide)
      }
    }
  const checkHead =
    (check: CheckHead, hide: Hide): CheckHead =>
    (head) => {
      try {
        const showsFailure = showsFailures.get(head.headers)
        if (showsFailure !== undefined) return showsFailure
        const next: unknown = check(head)
        return typeof next === 'function' ? checkBody(next as CheckBody, head.headers, hide) : whyOr(undefined, next, hide)
      } catch (error) {
        return failedIn('check of the headers', error, hide)
      }
    }
  const compile = (secret: string): Closable<CheckHead> | undefined => {
    const hide = hidingToo(hideKnown, () => [secret])
    try {
      const made: unknown = given.compile(secret)
      return made === undefined
        ? undefined
        : (guardedRun(made, (check: CheckHead) => checkHead(check, hide)) ?? (() => 'its compile gave no function'))
    } catch (error) {
      return () => failedIn('compile', error, hide)
    }
  }
  return {
    name,
    title: title ?? name,
    shows,
    compile,
    sign: (request) =>
      signedBy(
        given,
        request,
        hidingToo(hideKnown, () => [request.secret, request.privateKey ?? '']),
      ),
    ...(given.signedId ? { signedId: (headers: Headers) => signedIds.get(headers) } : {}),
    ...valuesOf(given),
  }
}

/** Copies the members that a plugin's scheme may have besides its name, its title and its functions. */
const valuesOf = ({
  idHeaders,
  eventTypeHeaders,
  shortTypeField,
  badSecret,
  senderKey,
  deprecated,
  byHand,
  secretHeaders,
  secretQuery,
  secretFields,
}: Scheme): Partial<Scheme> => ({
  ...(idHeaders ? { idHeaders: [...idHeaders] } : {}),
  ...(eventTypeHeaders ? { eventTypeHeaders: [...eventTypeHeaders] } : {}),
  ...(secretHeaders ? { secretHeaders: [...secretHeaders] } : {}),
  ...(secretQuery ? { secretQuery: [...secretQuery] } : {}),
  ...(secretFields ? { secretFields: [...secretFields] } : {}),
  ...(shortTypeField ? { shortTypeField } : {}),
  ...(badSecret ? { badSecret: { message: badSecret.message, help: badSecret.help } } : {}),
  ...(senderKey ? { senderKey } : {}),
  ...(deprecated ? { deprecated } : {}),
  ...(byHand ? { byHand } : {}),
})

/** Says that a member of the scheme failed, as the reason of a refusal. */
const failedIn = (member: string, error: unknown, hide: Hide): RefusalReason => `its ${member} failed: ${failure(error, hide)}`

/**
 * Returns an answer of the scheme where it is `good` or a reason for a refusal. For any other answer, returns a reason that says what is
 * wrong with it.
 */
const whyOr = <T>(good: T, answer: unknown, hide: Hide): NonNullable<T> | RefusalReason => {
  if (answer !== undefined && answer === good) return answer as NonNullable<T>
  if (typeof answer === 'string') return printable(hide(answer), 200)
  // Nobody waits for this promise, and its rejection must not end the process.
  if (answer instanceof Promise) answer.catch(() => {})
  return 'it did not say whether the signature holds'
}

const isSigned = (answer: unknown): answer is Signed =>
  isMap(answer) &&
  typeof answer.body === 'string' &&
  isMap(answer.headers) &&
  Object.values(answer.headers).every((value) => typeof value === 'string')

/** Signs a request by the scheme. Throws a Fault when the scheme throws, or gives back something else than headers and body. */
const signedBy = (scheme: Scheme, request: Unsigned, hide: Hide): Signed => {
  const fault = (why: string): Fault => new Fault('bad_scheme', `${scheme.name} cannot sign: ${why}`, { exitCode: exit.no })
  let answer: unknown
  try {
    answer = scheme.sign(request)
  } catch (error) {
    throw fault(failure(error, hide))
  }
  if (!isSigned(answer)) throw fault('it gave back something else than { headers, body }, of texts')
  return answer
}
