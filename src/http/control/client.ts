/** Calls the operations of a running gateway, over its control socket. */

import type { RunStanding } from '../../app/live/operations.ts'
import type { TailLine, TailLines } from '../../app/live/tails.ts'
import type { GatewayFinder, RunningGateway } from '../../app/running-gateway.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { Json } from '../../core/json.ts'
import { type Asker, askGateway, isListening, type Method, notRunning } from './ask.ts'
import { followGateway } from './follow.ts'
import {
  type Check,
  hasConversation,
  hasJobs,
  hasRetried,
  hasSessions,
  hasStandings,
  isJobStart,
  isReloaded,
  isReplayed,
  isStatus,
  isStopping,
  isTailLine,
  maxIds,
} from './protocol.ts'

/** Finds the gateway of a data directory. Each call looks again. */
export const gatewayAt = (asker: Asker): GatewayFinder => {
  const gateway = clientOf(asker)
  return {
    find: async () => ((await isListening(asker)) ? gateway : undefined),
    async need() {
      if (await isListening(asker)) return gateway
      throw notRunning(asker)
    },
  }
}

const clientOf = (asker: Asker): RunningGateway => {
  const ask = async <T>(check: Check<T>, method: Method, path: string, body?: Json): Promise<T> => {
    const answer: unknown = await askGateway(asker, method, path, body)
    return checked(check, answer)
  }
  return {
    status: () => ask(isStatus, 'GET', '/status'),
    reload: ({ force = false } = {}) => ask(isReloaded, 'POST', '/reload', { force }),
    async stop() {
      await ask(isStopping, 'POST', '/stop')
    },
    async standings(ids) {
      const all: RunStanding[] = []
      for (let from = 0; from < ids.length; from += maxIds) {
        const { standings } = await ask(hasStandings, 'POST', '/events/standings', { ids: ids.slice(from, from + maxIds) })
        all.push(...standings)
      }
      return all
    },
    retry: async (id) => (await ask(hasRetried, 'POST', `${eventPath(id)}/retry`)).retried,
    replay: ({ eventId, route, body, sameId, dryRun }) =>
      ask(isReplayed, 'POST', `${eventPath(eventId)}/replay`, {
        ...(route === undefined ? {} : { route }),
        ...(body === undefined ? {} : { body }),
        ...(sameId === undefined ? {} : { same_id: sameId }),
        ...(dryRun === undefined ? {} : { dry_run: dryRun }),
      }),
    startJob: (profile, job) => ask(isJobStart, 'POST', '/jobs/start', { profile, job }),
    runningJobs: async () => (await ask(hasJobs, 'GET', '/jobs/running')).jobs,
    sessions: async (of, max) => (await ask(hasSessions, 'POST', '/sessions', { ...of, max })).sessions,
    conversation: async (key, max) => (await ask(hasConversation, 'POST', '/sessions/conversation', { key, max })).conversation,
    tail: async ({ route, outcome }) =>
      checkedLines(
        await followGateway(asker, '/tail', {
          ...(route === undefined ? {} : { route }),
          ...(outcome === undefined ? {} : { outcome: outcome.join(',') }),
        }),
      ),
  }
}

/** Throws a Fault for what is no such answer. */
const checked = <T>(check: Check<T>, answer: unknown): T => {
  if (check(answer)) return answer
  const hint = 'it may be of another version than this program: start it again'
  throw new Fault('gateway_fault', 'the gateway gave an odd answer', { exitCode: exit.internal, hint })
}

const checkedLines = (lines: AsyncIterableIterator<unknown>): TailLines => ({
  async next(): Promise<IteratorResult<TailLine, undefined>> {
    const { done, value } = await lines.next()
    return done ? { done, value: undefined } : { done: false, value: checked(isTailLine, value) }
  },
  async return() {
    await lines.return?.()
    return { done: true, value: undefined }
  },
  [Symbol.asyncIterator]() {
    return this
  },
})

const eventPath = (id: string): string => `/events/${encodeURIComponent(id)}`
