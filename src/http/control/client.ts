/** Calls the operations of a running gateway, over its control socket. */

import { exit, Fault } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import type { GatewayFinder, RunningGateway } from '../../datadir/running-gateway.ts'
import { controlOperations, type TailLine } from '../../generated/control.ts'
import type { TailLines } from '../../serve/tails.ts'
import { type Asker, askGateway, isListening, unreachableFault } from './ask.ts'
import { followGateway } from './follow.ts'
import type { Operation } from './questions.ts'

/**
 * Returns a finder of the gateway that serves a data directory. Each call of `find` and `need` looks for the gateway again. Where no
 * gateway runs, `find` resolves to `undefined`, and `need` throws a Fault.
 */
export const gatewayAt = (asker: Asker): GatewayFinder => {
  const gateway = clientOf(asker)
  return {
    find: async () => ((await isListening(asker)) ? gateway : undefined),
    async need() {
      if (await isListening(asker)) return gateway
      throw unreachableFault(asker)
    },
  }
}

/**
 * Returns an object with a function for each row of the table of control operations. The function sends the question and returns the
 * checked answer.
 */
const clientOf = (asker: Asker): RunningGateway => {
  const operations = Object.entries<Operation>(controlOperations).map(([name, operation]) => [
    name,
    (question: JsonObject = {}) => askOperation(asker, operation, question),
  ])
  return Object.fromEntries(operations) as RunningGateway
}

/**
 * Sends the question of one operation, and returns the answer. Members of the question that its path names (`:name`) go into the path, all
 * others into the body.
 */
const askOperation = async (asker: Asker, operation: Operation, question: JsonObject): Promise<unknown> => {
  const { method, path, checkAnswer } = operation
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, name]) => name))
  const address = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(question[name])))
  const members = Object.entries(question).filter(([name]) => !inPath.has(name))
  const body = members.length > 0 ? Object.fromEntries(members) : undefined
  if ('isStream' in operation) return checkedLines(await followGateway(asker, address, body), checkAnswer)
  return checked(await askGateway(asker, method, address, body), checkAnswer)
}

/**
 * Returns the answer when it has the shape that the table gives for its operation. Throws a Fault otherwise: the gateway may be of another
 * version than the program that asks it.
 */
const checked = <T>(answer: T, check: Operation['checkAnswer']): T => {
  if (check(answer)) return answer
  const hint = 'it may be of another version than this program: start it again'
  throw new Fault('gateway_fault', 'the gateway gave an unexpected answer', { exitCode: exit.internal, hint })
}

/** Checks each line of a stream, as `checked` checks an answer. */
const checkedLines = (lines: AsyncIterableIterator<unknown>, check: Operation['checkAnswer']): TailLines => ({
  async next(): Promise<IteratorResult<TailLine, undefined>> {
    const { done, value } = await lines.next()
    return done ? { done, value: undefined } : { done: false, value: checked(value as TailLine, check) }
  },
  async return() {
    await lines.return?.()
    return { done: true, value: undefined }
  },
  [Symbol.asyncIterator]() {
    return this
  },
})
