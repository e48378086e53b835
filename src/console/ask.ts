/**
 * The addresses at which the pages ask: an address for each question of the table (schema/console.schema.json), and an address for the live
 * traffic.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { exit, Fault, messageOf, StoreFault } from '../core/fault.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import { createSlots } from '../core/turns/slots.ts'
import type { Audit } from '../features/audit/audit.ts'
import { consoleQuestions } from '../generated/console.ts'
import { jsonLinesStream } from '../http/control/line-stream.ts'
import { questionOf } from '../http/control/questions.ts'
import type { ConsoleAccess } from './access/access.ts'
import type { ConnectionBound } from './access/connections.ts'
import { type AccessRefusal, refused } from './access/gate.ts'
import type { SignIn } from './access/sign-ins.ts'
import type { Right } from './access/users.ts'
import type { createAnswers } from './answers/answers.ts'
import { withoutQuotes } from './answers/without-quotes.ts'
import { auditedQuestion, type QuestionAudit } from './audited-question.ts'
import type { LiveFeed } from './live-feed.ts'
import { halfCookie } from './sign-in.ts'

export type QuestionOptions = {
  readonly access: ConsoleAccess
  readonly answers: ReturnType<typeof createAnswers>
  readonly live: LiveFeed
  readonly audit: Audit
  readonly log: Log
}

/** The most bytes of a question whose row in the table has no bound of its own. */
export const maxQuestionBytes = 65_536
/** The most questions that are answered at a time, and the most that wait. Searches have slots of their own. */
const maxAtWork = 8
const maxWaiting = 32
/**
 * The most searches that are answered at a time. A search reads thousands of records and payloads, and must not keep other questions
 * waiting.
 */
const maxSearches = 2

/**
 * The longest time of one stream of live traffic, in milliseconds. The page then asks for another stream, and shows its sign-in again: a
 * proxy may have signed the user out. With its sign-in a stream ends at once.
 */
const longestLiveMs = 300_000

const busy: AccessRefusal = { status: 503, error: 'the console has too much to do: try again' }
const notSignedIn: AccessRefusal = { status: 401, error: 'sign in' }

/** Answers a question whose sender has signed in. */
type Answer = (question: JsonObject, signIn: SignIn, reply: FastifyReply) => Promise<unknown>
/** A row of the table of questions. */
type Row = Parameters<typeof questionOf>[0] & {
  readonly right: Right
  readonly audit?: QuestionAudit
  readonly quotes: readonly string[]
  readonly maxQuestionBytes?: number
}

/** Adds the addresses. Each address takes a POST with a JSON object. */
export const addQuestions = (
  app: FastifyInstance,
  { access, answers, live, audit, log }: QuestionOptions,
  connections: ConnectionBound,
): void => {
  const { gate, signIns, clock } = access
  const slots = createSlots(() => maxAtWork, maxWaiting)
  const searches = createSlots(() => maxSearches, maxWaiting)
  const signInOf = new WeakMap<FastifyRequest, SignIn>()
  /** Refuses a question, before its body is read, whose sender has not signed in or lacks the right that the question takes. */
  const checkSender = async (request: FastifyRequest, reply: FastifyReply, { right }: Row): Promise<FastifyReply | undefined> => {
    const refusal = gate.refuseStranger(request)
    if (refusal) return refused(reply, refusal)
    const signIn = gate.signInOf(request)
    if (!signIn) return refused(reply, notSignedIn)
    if (!signIn.rights.has(right)) return refused(reply, { status: 403, error: `this takes the right "${right}"` })
    connections.keep(request.raw.socket)
    signInOf.set(request, signIn)
  }
  const add = (name: string, row: Row, answer: Answer): void => {
    app.post(`/ask/${name}`, {
      bodyLimit: row.maxQuestionBytes ?? maxQuestionBytes,
      onRequest: (request, reply) => checkSender(request, reply, row),
      handler: (request, reply) => {
        reply.header('cache-control', 'no-store')
        return answer(isObject(request.body) ? request.body : {}, signInOf.get(request) as SignIn, reply)
      },
    })
  }
  for (const [name, row] of Object.entries<Row>(consoleQuestions)) {
    if (name === 'signOut' || name === 'live') continue
    const answer = answers[name as keyof typeof answers] as (question: JsonObject, signIn: SignIn) => Promise<unknown>
    add(name, row, async (body, signIn, reply) => {
      const question = questionOf(row, {}, body)
      const work = async () => {
        // The browser may have closed the connection while the question waited.
        if (reply.raw.destroyed) return { answer: {} }
        return { answer: await auditedQuestion(audit, row.audit, question, signIn.name, () => answer(question, signIn)) }
      }
      const done = await (isSearch(question) ? searches : slots).run(work)
      return done ? reply.send(shownTo(signIn, row.quotes)(done.answer)) : refused(reply, busy)
    })
  }
  add('signOut', consoleQuestions.signOut, async (_question, signIn, reply) => {
    signIns.remove(signIn)
    return reply.header('set-cookie', halfCookie(reply.request, access, '')).send({ signed_out: true })
  })
  add('live', consoleQuestions.live, async (_question, signIn, reply) => {
    const lines = live.open()
    if (!lines) return refused(reply, busy)
    const end = (): void => void lines.return()
    for (const cancel of [clock.after(longestLiveMs, end), signIns.onEnd(signIn, end)]) reply.raw.once('close', cancel)
    return reply.type('application/x-ndjson').send(jsonLinesStream(lines, shownTo(signIn, consoleQuestions.live.quotes)))
  })
  addFailures(app, log)
}

/** Returns the function that takes out of an answer the texts that the user may not see. */
const shownTo =
  ({ rights }: SignIn, quotes: readonly string[]) =>
  (answer: unknown): unknown =>
    rights.has('payloads') ? answer : withoutQuotes(answer, quotes)

/** Whether a question searches in payloads. */
const isSearch = (question: JsonObject): boolean => question.text !== undefined || question.field !== undefined

/** Adds the answers to unknown addresses, to questions without an answer, and to mistakes of the program. */
const addFailures = (app: FastifyInstance, log: Log): void => {
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'there is nothing at this address' }))
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof Fault) return reply.code(statuses[error.exitCode] ?? 409).send({ error: error.message, hint: error.hint })
    if (error instanceof StoreFault) return reply.code(503).send({ error: error.message })
    const { statusCode } = error as { statusCode?: number }
    if (statusCode !== undefined && statusCode < 500) return reply.code(statusCode).send({ error: messageOf(error) })
    log('error', { path: request.routeOptions.url, reason: messageOf(error) }, 'console: internal error')
    return reply.code(500).send({ error: 'internal error: the output of the console says more' })
  })
}

/** The HTTP status of a Fault, by the exit code with which a command would end. */
const statuses: { readonly [exitCode: number]: number } = {
  [exit.usage]: 400,
  [exit.internal]: 500,
  [exit.unreachable]: 503,
  [exit.notFound]: 404,
}
