/** Answers the requests on the control socket: each row of the table of control operations calls the gateway's operation of that name. */

import type { FastifyInstance } from 'fastify'
import { messageOf, StoreFault } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import type { RunningGateway } from '../../datadir/running-gateway.ts'
import { controlOperations } from '../../generated/control.ts'
import type { TailLines } from '../../serve/tails.ts'
import { jsonLinesStream } from './line-stream.ts'
import { type Operation, questionOf } from './questions.ts'

/** Adds a route to Fastify for each operation of the table (schema/control.schema.json). */
export const addOperations = (app: FastifyInstance, gateway: RunningGateway): void => {
  for (const [name, operation] of Object.entries<Operation>(controlOperations)) {
    const run = gateway[name as keyof RunningGateway] as (question: JsonObject) => Promise<unknown>
    app.route<{ Params: JsonObject }>({
      method: operation.method,
      url: operation.path,
      ...('maxQuestionBytes' in operation ? { bodyLimit: operation.maxQuestionBytes } : {}),
      async handler({ params, body }, reply) {
        const question = questionOf(operation, params, body)
        const answer = await withoutStatusCode(() => run(question))
        return 'isStream' in operation ? reply.type('application/x-ndjson').send(jsonLinesStream(answer as TailLines)) : answer
      },
    })
  }
}

/** Adds the answers to unknown requests (404), to a store that fails (503), to mistakes in a request (4xx) and to other errors (500). */
export const addRefusals = (app: FastifyInstance, log: Log): void => {
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not known to this version of the gateway' }))
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof StoreFault) return reply.code(503).send({ error: error.message })
    const { statusCode } = error as { statusCode?: number }
    if (statusCode !== undefined && statusCode < 500) return reply.code(statusCode).send({ error: messageOf(error) })
    log('error', { path: request.routeOptions.url, reason: messageOf(error) }, 'control: internal error')
    return reply.code(500).send({ error: 'internal error: see the log of the gateway' })
  })
}

/**
 * Runs an operation. An error other than a StoreFault is wrapped in an error without a `statusCode`: otherwise the error handler would take
 * an error of the operation for a mistake in the request.
 */
const withoutStatusCode = async <T>(work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw error instanceof StoreFault ? error : new Error(messageOf(error), { cause: error })
  }
}
