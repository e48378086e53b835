/** Serves the operations of a running gateway to the command line, on a Unix socket that only the gateway's user can open. */

import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createRelay, type Server as Relay } from 'node:net'
import { dirname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Operations } from '../../app/live/operations.ts'
import type { ReplayWish } from '../../app/live/replay.ts'
import type { TrafficWish } from '../../app/live/traffic.ts'
import { type Clock, systemClock } from '../../core/clock.ts'
import { exit, Fault, messageOf, StoreFault } from '../../core/fault.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import { closeServer } from '../close.ts'
import { createLazyFastify } from '../lazy-fastify.ts'
import { streamOf } from './line-stream.ts'
import { maxIds } from './protocol.ts'
import { openShortPath, removeStale } from './socket-path.ts'

export interface Control {
  /** Removes the socket. Requests that are being worked on get their answers, for a moment. */
  close(): Promise<void>
}

export type ControlOptions = {
  /** The socket's absolute path. */
  readonly path: string
  readonly operations: Operations
  readonly log: Log
  readonly clock?: Clock
}

const maxBodyBytes = 1_048_576
/** A payload may have 64 MiB; many of its characters are two in JSON. */
const maxReplayBytes = 134_217_728
const maxConnections = 64
/** How often the gateway looks whether the socket is still there. */
const lookMs = 2_000

/** Starts to listen. Throws a Fault when another gateway answers there, or when the socket cannot be made. */
export const listenControl = async (options: ControlOptions): Promise<Control> => {
  const { path, log } = options
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const short = openShortPath(path)
  if (short === undefined) {
    log(
      'warn',
      { file: path },
      'running without a control socket, its path is too long: `gateway reload` and others cannot reach this gateway',
    )
    return { close: async () => {} }
  }
  try {
    const close = await listenOn(short.path, options)
    return { close: () => close().finally(short.close) }
  } catch (error) {
    short.close()
    throw error
  }
}

/** Listens on the path in its short form; the returned function ends that. */
const listenOn = async (short: string, { path, operations, log, clock = systemClock }: ControlOptions): Promise<() => Promise<void>> => {
  await removeStale(path)
  const server = createServer()
  const addTo = (app: FastifyInstance): void => {
    addAnswers(app, log)
    addRoutes(app, operations)
  }
  const host = createLazyFastify(server, clock, { logger: false, bodyLimit: maxBodyBytes, addTo })
  server.on('request', host.handle)
  server.maxConnections = maxConnections
  await bind(server, short)
  const unwatch = keepThere({ path, short, log, clock }, server)
  return () => {
    unwatch()
    return closeServer(server, host)
  }
}

type Kept = { readonly path: string; readonly short: string; readonly log: Log; readonly clock: Clock }

/** Makes the socket again after somebody removed it. What is now in its place, perhaps another gateway's socket, is left alone. */
const keepThere = ({ path, short, log, clock }: Kept, server: Server): (() => void) => {
  let relay: Relay | undefined
  let cancel = (): void => {}
  let isOver = false
  const make = async (): Promise<void> => {
    relay?.close()
    relay = createRelay((socket) => void server.emit('connection', socket))
    relay.maxConnections = maxConnections
    await bind(relay, short)
    log('warn', { file: path }, 'the control socket was gone and is made again')
  }
  const look = async (): Promise<void> => {
    // Where that fails, for example because the folder is gone, the next look tries again.
    if (!lstatSync(path, { throwIfNoEntry: false })) await make().catch(() => {})
    if (isOver) relay?.close()
    else cancel = clock.after(lookMs, () => void look())
  }
  cancel = clock.after(lookMs, () => void look())
  return () => {
    isOver = true
    cancel()
    relay?.close()
  }
}

/** Makes the socket so that no other user can ever open it: Node makes it before `listen` returns, and the umask holds until then. */
const bind = (server: Relay, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      server.close()
      reject(new Fault('cannot_listen', `cannot make the control socket ${path}: ${messageOf(error)}`, { exitCode: exit.no, cause: error }))
    }
    server.once('error', fail)
    // The mask is not 0177, because folders that other threads make meanwhile must stay usable.
    const mask = process.umask(0o077)
    try {
      server.listen(path, resolve)
      if (server.listening) chmodSync(path, 0o600)
    } catch (error) {
      fail(error)
    } finally {
      process.umask(mask)
    }
  })

const addAnswers = (app: FastifyInstance, log: Log): void => {
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not known to this version of the gateway' }))
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof StoreFault) return reply.code(503).send({ error: error.message })
    const { statusCode } = error as { statusCode?: number }
    if (statusCode !== undefined && statusCode < 500) return reply.code(statusCode).send({ error: messageOf(error) })
    log('error', { path: request.routeOptions.url, reason: messageOf(error) }, 'control: internal error')
    return reply.code(500).send({ error: 'internal error: see the log of the gateway' })
  })
}

const addRoutes = (app: FastifyInstance, operations: Operations): void => {
  app.get('/status', async () => attempt(() => operations.status()))
  app.post('/reload', async ({ body }) => {
    const { force } = membersOf(body, { force: 'boolean' })
    return attempt(() => operations.reload({ force: force === true }))
  })
  app.post('/stop', async () => {
    await attempt(() => operations.stop())
    return { stopping: true }
  })
  app.post('/events/standings', async ({ body }) => {
    const ids = idsOf(body)
    return { standings: await attempt(() => operations.standings(ids)) }
  })
  app.post<OfEvent>('/events/:id/retry', async ({ params: { id } }) => ({ retried: await attempt(() => operations.retry(id)) }))
  app.post<OfEvent>('/events/:id/replay', { bodyLimit: maxReplayBytes }, async ({ params: { id }, body }) => {
    const wish = wishOf(id, body)
    return attempt(() => operations.replay(wish))
  })
  app.get('/jobs/running', async () => ({ jobs: await attempt(() => operations.runningJobs()) }))
  app.post('/jobs/start', async ({ body }) => {
    const { profile, job } = membersOf(body, { profile: 'string', job: 'string' })
    if (typeof profile !== 'string' || typeof job !== 'string') throw bad('"profile" and "job" are needed')
    return attempt(() => operations.startJob(profile, job))
  })
  app.post('/sessions', async ({ body }) => {
    const { max, ...of } = membersOf(body, { profile: 'string', route: 'string', max: 'number' })
    return { sessions: await attempt(() => operations.sessions(of, countOf(max))) }
  })
  app.post('/sessions/conversation', async ({ body }) => {
    const { key, max } = membersOf(body, { key: 'string', max: 'number' })
    if (typeof key !== 'string') throw bad('"key" is needed')
    return { conversation: await attempt(() => operations.conversation(key, countOf(max))) }
  })
  app.post('/tail', async ({ body }, reply) => {
    const wish = tailWishOf(body)
    const lines = await attempt(() => operations.tail(wish))
    return reply.type('application/x-ndjson').send(streamOf(lines))
  })
}

const tailWishOf = (body: unknown): TrafficWish => {
  const { route, outcome } = membersOf(body, { route: 'string', outcome: 'string' })
  return {
    ...(typeof route === 'string' ? { route } : {}),
    ...(typeof outcome === 'string' ? { outcome: outcome.split(',') } : {}),
  }
}

type OfEvent = { Params: { id: string } }

/** Wraps what an operation throws, so that a `statusCode` in it is not taken for a mistake in the request. */
const attempt = async <T>(work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw error instanceof StoreFault ? error : new Error(messageOf(error), { cause: error })
  }
}

const bad = (sentence: string): Error => Object.assign(new Error(sentence), { statusCode: 400 })

const countOf = (max: Json | undefined): number => {
  if (Number.isSafeInteger(max) && (max as number) >= 0) return max as number
  throw bad('"max" must be a whole number')
}

/** The members of a body, each checked for its type. Unknown members are refused: a misspelt one must not act as a default. */
const membersOf = (body: unknown, types: { readonly [name: string]: 'string' | 'boolean' | 'number' }): JsonObject => {
  const found = body ?? {}
  if (!isObject(found)) throw bad('the body must be a JSON object')
  for (const [name, value] of Object.entries(found)) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined
    if (type === undefined) throw bad(`the member ${JSON.stringify(name.slice(0, 64))} is not known`)
    if (typeof value !== type) throw bad(`"${name}" must be a ${type}`)
  }
  return found
}

const idsOf = (body: unknown): string[] => {
  const ids: Json | undefined = isObject(body) ? body.ids : undefined
  if (Array.isArray(ids) && ids.length <= maxIds && ids.every((id) => typeof id === 'string')) return ids as string[]
  throw bad(`"ids" must be a list of at most ${maxIds.toLocaleString('en')} strings`)
}

const wishOf = (eventId: string, body: unknown): ReplayWish => {
  const types = { route: 'string', body: 'string', same_id: 'boolean', dry_run: 'boolean' } as const
  const { route, body: other, same_id, dry_run } = membersOf(body, types)
  return {
    eventId,
    ...(typeof route === 'string' ? { route } : {}),
    ...(typeof other === 'string' ? { body: other } : {}),
    ...(typeof same_id === 'boolean' ? { sameId: same_id } : {}),
    ...(typeof dry_run === 'boolean' ? { dryRun: dry_run } : {}),
  }
}
