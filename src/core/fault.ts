/**
 * Errors that are thrown: a command or a start cannot go on, or the store or an agent broke. A mistake in an operator's file is a
 * Diagnostic, and the end of a request is an Outcome; neither is thrown.
 */

/** Exit codes of the command (reference: clig.dev, sysexits for 78). */
export const exit = {
  ok: 0,
  no: 1,
  usage: 2,
  internal: 3,
  unreachable: 4,
  notFound: 5,
  conflict: 6,
  disabled: 7,
  config: 78,
  cancelled: 130,
} as const

/**
 * An error that a user can act on. It ends a command or a start, or is the answer of the editor service or the console. It is shown as a
 * sentence, never with a stack.
 */
export class Fault extends Error {
  readonly code: string
  readonly exitCode: number
  /** The way out. */
  readonly hint: string | undefined
  /** Names that the user may have meant. */
  readonly suggest: readonly string[]

  constructor(code: string, message: string, more: { exitCode: number; hint?: string; suggest?: readonly string[]; cause?: unknown }) {
    super(message, { cause: more.cause })
    this.name = 'Fault'
    this.code = code
    this.exitCode = more.exitCode
    this.hint = more.hint
    this.suggest = more.suggest ?? []
  }

  /** Returns a copy of this Fault. `word` is called with the message, the hint and each suggestion, and returns the text that replaces it. */
  reworded(word: (text: string) => string): Fault {
    const { code, message, exitCode, hint, suggest, cause } = this
    return new Fault(code, word(message), {
      exitCode,
      cause,
      suggest: suggest.map(word),
      ...(hint === undefined ? {} : { hint: word(hint) }),
    })
  }
}

/** Returns the Fault for a mistake in the command line. */
export const usage = (message: string, hint?: string): Fault =>
  new Fault('usage', message, { exitCode: exit.usage, ...(hint === undefined ? {} : { hint }) })

/**
 * The store could not do what it was asked: disk full, no answer in time, closed. An event whose commit failed was not accepted. The rate
 * limit that gateways share and the watching of traffic throw this error, too, when they cannot serve.
 */
export class StoreFault extends Error {
  override name = 'StoreFault'
}

/** The agent gave no reply: it did not answer, or it was not asked, for example because a budget was used up. */
export class AgentFault extends Error {
  override name = 'AgentFault'
  /** The wait that the agent's API asked for before the next attempt. */
  readonly retryAfterMs: number | undefined
  /** No further attempt is made: asking again would be of no use, or would cost the same again. */
  readonly isFinal: boolean

  constructor(message: string, { retryAfterMs, isFinal = false }: Partial<Pick<AgentFault, 'retryAfterMs' | 'isFinal'>> = {}) {
    super(message)
    this.retryAfterMs = retryAfterMs
    this.isFinal = isFinal
  }
}

/** Returns the message of anything thrown, without its stack. Never throws. */
export const messageOf = (thrown: unknown): string => {
  try {
    return String(typeof thrown === 'object' && thrown !== null && 'message' in thrown ? thrown.message : thrown)
  } catch {
    // The thrown value cannot be made a text.
    return 'an error without a message'
  }
}

/** Returns the code of a system error, such as `ENOENT`; `undefined` of anything else. */
export const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : undefined)
