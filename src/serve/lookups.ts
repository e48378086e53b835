/**
 * Asks the lookups of routes: keeps answers for a while, asks equal questions at the same time once, and bounds how many questions go to a
 * host at once. It lives as long as the gateway, so a reload loses no answer.
 */

import { createHash } from 'node:crypto'
import { callFailure } from '../core/calls/call-failure.ts'
import { type Clock, minuteMs } from '../core/clock.ts'
import type { LookupResult } from '../core/facts/fact.ts'
import type { Json } from '../core/json.ts'
import { createSlots, type Slots } from '../core/turns/slots.ts'
import { within } from '../core/turns/within.ts'
import { defaults } from '../generated/defaults.ts'
import type { Got, LookupAnswer, LookupKit, LookupQuestion, LookupRequest } from '../parts/lookups/lookup.ts'
import { parseRetryAfter } from '../parts/retry-after.ts'
import { getText } from '../parts/web/get-text.ts'
import type { WebAccess } from '../parts/web/web-access.ts'

/** The most questions to a host that are asked at once, and the most that wait for their turn. */
const maxAtOnce = 8
const maxWaiting = 200
/** The most answers that are kept, and their bytes together. */
const maxKept = 1_000
const maxKeptBytes = 16 * 1024 * 1024
/** The wait after an answer that says "not now" without a time. */
const limitedMs = 60_000
/** The wait where too many questions wait for a host. */
const crowdedMs = 5_000
/** The most hosts for which it is known until when they refuse. */
const maxHeldHosts = 1_000

const late: LookupAnswer = { ok: false, why: 'no answer in time' }

/** Who asks: the environment and the settings of the platform in the route's profile. */
export type LookupAccess = Pick<LookupKit, 'env' | 'settings'>

type KeptAnswer = { readonly text: string; readonly until: number }

type LookupsOptions = {
  /** What may be reached where only public addresses may. */
  readonly web?: WebAccess
  /** Called with the name of the part and the result of each question. */
  readonly ended?: (lookup: string, result: LookupResult) => void
}

export class Lookups {
  readonly #clock: Clock
  readonly #web: WebAccess | undefined
  readonly #ended: NonNullable<LookupsOptions['ended']>
  readonly #kept = new Map<string, KeptAnswer>()
  #keptBytes = 0
  /** The questions that are asked now. */
  readonly #asked = new Map<string, Promise<LookupAnswer>>()
  readonly #slots = new Map<string, Slots>()
  /** Until when a host refuses all questions of a credential, by host and credential. */
  readonly #held = new Map<string, number>()

  constructor(clock: Clock, { web, ended = () => {} }: LookupsOptions = {}) {
    this.#clock = clock
    this.#web = web
    this.#ended = ended
  }

  /** Asks a question. Never rejects. */
  async ask(question: LookupQuestion, access: LookupAccess): Promise<LookupAnswer> {
    // The key has the credentials too, so that no answer reaches a route that may not ask. It is hashed, so that no secret is kept in it.
    const { profile, part, spec, values, deadline, isFresh = false } = question
    const identity = [profile, part.name, spec, values, access.settings, part.token?.(spec, access) ?? null]
    const key = createHash('sha256').update(JSON.stringify(identity)).digest('base64url')
    const kept = isFresh ? undefined : this.#keptAnswer(key)
    if (kept !== undefined) {
      this.#ended(part.name, 'kept')
      return { ok: true, text: kept }
    }
    // A question that began before is no fresh one.
    const shared = `${isFresh} ${key}`
    const asked = this.#asked.get(shared) ?? this.#begin(shared, key, question, access)
    const answer = await within(asked, deadline - this.#clock.monotonic(), this.#clock, () => late)
    this.#ended(part.name, answer.ok ? 'answered' : answer.retryAfterMs === undefined ? 'failed' : 'limited')
    return answer
  }

  #begin(shared: string, key: string, question: LookupQuestion, access: LookupAccess): Promise<LookupAnswer> {
    const minutes = question.spec.cache_minutes ?? defaults.lookup.cache_minutes
    const answer = this.#askNow(question, access).then((settled) => {
      this.#asked.delete(shared)
      if (settled.ok && minutes > 0) this.#keep(key, settled.text, minutes)
      return settled
    })
    this.#asked.set(shared, answer)
    return answer
  }

  #keptAnswer(key: string): string | undefined {
    const kept = this.#kept.get(key)
    if (!kept) return undefined
    this.#forget(key, kept)
    if (kept.until <= this.#clock.monotonic()) return undefined
    // What was used last stands last, and is forgotten last.
    this.#kept.set(key, kept)
    this.#keptBytes += kept.text.length
    return kept.text
  }

  #keep(key: string, text: string, minutes: number): void {
    const before = this.#kept.get(key)
    if (before) this.#forget(key, before)
    this.#kept.set(key, { text, until: this.#clock.monotonic() + minutes * minuteMs })
    this.#keptBytes += text.length
    for (const [oldest, each] of this.#kept) {
      if (this.#kept.size <= maxKept && this.#keptBytes <= maxKeptBytes) break
      this.#forget(oldest, each)
    }
  }

  #forget(key: string, { text }: KeptAnswer): void {
    this.#kept.delete(key)
    this.#keptBytes -= text.length
  }

  async #askNow({ part, spec, values, deadline }: LookupQuestion, { env, settings }: LookupAccess): Promise<LookupAnswer> {
    const lacking = part.lacks?.(spec, { env, settings })
    if (lacking !== undefined) return { ok: false, why: `not connected: set ${lacking}` }
    try {
      return await part.ask(spec, values, { env, settings, get: (request) => this.#get(request, deadline) })
    } catch {
      // A part of a plugin may throw anything, and its message may quote a secret.
      return { ok: false, why: 'the lookup failed without a reason' }
    }
  }

  /** Gets an answer in turn with the other questions to its host. */
  async #get(request: LookupRequest, deadline: number): Promise<Got> {
    const { origin, host } = new URL(request.url)
    const heldKey = createHash('sha256')
      .update(JSON.stringify([origin, request.headers]))
      .digest('base64url')
    const heldMs = (this.#held.get(heldKey) ?? 0) - this.#clock.monotonic()
    if (heldMs > 0) return { ok: false, why: `${host} takes no questions now`, retryAfterMs: heldMs }
    this.#held.delete(heldKey)
    const slots = this.#slots.get(origin) ?? createSlots(() => maxAtOnce, maxWaiting)
    this.#slots.set(origin, slots)
    const got = await slots.run(() => this.#getNow(request, deadline - this.#clock.monotonic()))
    if (!got) return { ok: false, why: `too many questions wait for ${host}`, retryAfterMs: crowdedMs }
    if (!got.ok && got.retryAfterMs !== undefined) {
      if (this.#held.size >= maxHeldHosts) this.#held.clear()
      this.#held.set(heldKey, this.#clock.monotonic() + got.retryAfterMs)
    }
    return got
  }

  async #getNow(request: LookupRequest, timeoutMs: number): Promise<Got> {
    const { host } = new URL(request.url)
    try {
      const { status, header, text } = await getText({ ...request, timeoutMs, clock: this.#clock }, this.#web)
      if (status >= 200 && status <= 299) {
        const payload = parsed(text)
        return payload === undefined
          ? { ok: false, why: `${host} answered HTTP ${status} without JSON` }
          : { ok: true, text, payload, header }
      }
      if (status === 404 || status === 410) return { ok: true, absent: true }
      const waitMs = this.#waitOf(status, header)
      const redirect = status >= 300 && status < 400 ? ', a redirect, which is not followed' : ''
      return { ok: false, why: `${host} answered HTTP ${status}${redirect}`, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) }
    } catch (thrown) {
      return { ok: false, why: `${host}: ${callFailure(thrown).message}` }
    }
  }

  /** Returns the wait that a refusal asks for: by `Retry-After`, or because nothing is left of a limit of the host. */
  #waitOf(status: number, header: (name: string) => string | undefined): number | undefined {
    const asked = parseRetryAfter(header('retry-after') ?? '', this.#clock.now())
    if (asked !== undefined) return [403, 429, 503].includes(status) ? asked : undefined
    const reset = Number(header('x-ratelimit-reset') ?? header('ratelimit-reset')) * 1000
    const isUsedUp = (header('x-ratelimit-remaining') ?? header('ratelimit-remaining')) === '0'
    if ((status === 403 || status === 429) && isUsedUp && Number.isFinite(reset))
      return Math.min(3_600_000, Math.max(1_000, reset - this.#clock.now()))
    return status === 429 ? limitedMs : undefined
  }
}

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
