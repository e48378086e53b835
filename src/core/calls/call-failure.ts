/** Why a call of a server has no answer, in words that quote neither its address nor what was sent or answered: a key may stand in each. */

/**
 * `unsent`: no byte of the request can have arrived. `late`: the time ran out. `large`: the answer has more bytes than are read. `broken`:
 * the connection broke off, so that the server may have done what it was asked.
 */
export type CallFailureKind = 'unsent' | 'late' | 'large' | 'broken'

/** Thrown by a call that has no whole answer. */
export class CallFailure extends Error {
  override name = 'CallFailure'
  readonly kind: CallFailureKind
  /** The code of the network error, such as ECONNREFUSED. */
  readonly code: string | undefined

  constructor(kind: CallFailureKind, message: string, code?: string) {
    super(message)
    this.kind = kind
    this.code = code
  }
}

/** The codes of errors that end a connection before it is ready, so that nothing of the request was sent. */
const neverConnected =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|ERR_SSL_.*|.*CERT.*|.*SIGNATURE.*)$/

export const callFailure = (thrown: unknown): CallFailure => {
  if (thrown instanceof CallFailure) return thrown
  if (thrown instanceof Error && thrown.cause instanceof Error && thrown.cause.message === 'bad port')
    return new CallFailure('unsent', 'its port belongs to another protocol, and fetch does not use it: take another port')
  const code = networkCode(thrown)
  if (code === undefined) return new CallFailure('broken', 'no connection')
  const isUnsent = neverConnected.test(code)
  return new CallFailure(isUnsent ? 'unsent' : 'broken', `${isUnsent ? 'no connection' : 'the connection broke off'} (${code})`, code)
}

/** Returns the code of the network error behind an error, such as ECONNREFUSED; `undefined` where there is none. */
export const networkCode = (thrown: unknown): string | undefined => {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 5; depth++) {
    // When several addresses were tried, the last error stands for all of them.
    if (at instanceof AggregateError && at.errors.length > 0) at = at.errors.at(-1)
    else if ('code' in at && typeof at.code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(at.code)) return at.code
    else at = at.cause
  }
  return undefined
}
