/**
 * Keeps the secrets that programs gave, for a running gateway: the last good secret stays where a program fails, a replaced secret still
 * verifies for a while, and programs are asked again at the times that their settings say.
 */

import type { Config } from '../../config/config.ts'
import { entryReferences } from '../../config/secrets/entry-references.ts'
import type { Provided, ProvidedSecrets, SecretProvider } from '../../config/secrets/providers.ts'
import type { Clock } from '../../core/clock.ts'
import { own } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import { Scope } from '../../core/scope.ts'
import { Timer } from '../../core/turns/timer.ts'
import type { KeptSecret } from '../../generated/control.ts'
import { askProviders, type ProviderAnswer } from './ask-providers.ts'
import { providerQuestionOf } from './with-secrets.ts'

/** Times are monotonic, milliseconds; `at` is a wall time. */
type Kept = {
  readonly value: string
  readonly readAt: number
  readonly at: number
  readonly before?: { readonly value: string; readonly until: number } | undefined
  readonly failure?: Failure | undefined
}
type Failure = Exclude<ProviderAnswer, { readonly value: string }>

type KeptSecretsOptions = {
  readonly clock: Clock
  readonly log: Log
  /** Makes secrets known to whoever redacts texts. */
  readonly learn: (secrets: readonly string[]) => void
  /** From 0 to 1. */
  readonly random?: () => number
}

/** What refreshing needs of a gateway: the configuration that it serves, and its reload, which never rejects. */
type Serving = { readonly config: () => Config; readonly reload: () => Promise<unknown> }

export class KeptSecrets {
  readonly #options: KeptSecretsOptions
  readonly #kept = new Map<string, Kept>()
  /** References whose program has never given a secret. */
  readonly #failed = new Map<string, Failure>()
  /** When each provider is asked again: monotonic times. */
  readonly #due = new Map<string, number>()
  /** References that a reload does not ask for again, because their secrets have made it necessary. */
  readonly #fresh = new Set<string>()
  readonly #scope = new Scope()
  #serving: Serving | undefined
  readonly #timer: Timer
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: KeptSecretsOptions) {
    this.#options = options
    this.#timer = new Timer(options.clock, () => void this.#refresh())
    this.#scope.defer(() => this.#timer.stop())
  }

  /** Returns what is known of each reference. */
  provided(): ProvidedSecrets {
    const now = this.#options.clock.monotonic()
    const all = new Map<string, Provided>(this.#failed)
    for (const [reference, { value, before, failure, readAt }] of this.#kept) {
      const overlap = before && before.until > now ? { before: before.value } : {}
      all.set(reference, { value, ...overlap, ...(failure ? { kept: keptText(failure, now - readAt) } : {}) })
    }
    return all
  }

  /** Asks for all secrets that a configuration refers to. Forgets the others, except those of the configuration that is in use. */
  async ask(config: Config, signal?: AbortSignal): Promise<void> {
    await this.#inTurn(async () => {
      const asked = new Set(config.secrets.asked)
      const inUse = new Set([...asked, ...(this.#serving?.config().secrets.asked ?? [])])
      for (const known of [this.#kept, this.#failed])
        for (const reference of known.keys()) if (!inUse.has(reference)) known.delete(reference)
      const missing = [...asked].filter((reference) => !this.#fresh.has(reference))
      this.#fresh.clear()
      await this.#askFor(config, missing, signal)
    })
    this.#setTimer()
  }

  /** Whether a configuration was loaded with the secrets that are known now. Ages do not count. */
  isLoaded({ secrets: { asked, provided } }: Config): boolean {
    const known = this.provided()
    return asked.every((reference) => isSame(provided?.get(reference), known.get(reference)))
  }

  /** Whether a program failed when it was asked last. */
  hasFailures(): boolean {
    return this.#failed.size > 0 || [...this.#kept.values()].some(({ failure }) => failure !== undefined)
  }

  /** Why one of these secrets is too old to verify requests (`Effects.tooOld`). */
  readonly tooOld = (provided: readonly string[]): string | undefined => {
    const providers = this.#serving?.config().secrets.providers ?? {}
    const now = this.#options.clock.monotonic()
    for (const reference of provided) {
      const { maxAgeMs = Number.POSITIVE_INFINITY } = providerOf(reference, providers) ?? {}
      const ageMs = now - (this.#kept.get(reference)?.readAt ?? now)
      if (ageMs > maxAgeMs) return `the secret exec:${reference} was read ${ageText(ageMs)} ago; max_age_seconds is ${maxAgeMs / 1000}`
    }
    return undefined
  }

  /** Reloads where subscriptions or stored jobs refer to a secret that no program was asked for. */
  readonly askNew = (): void => {
    const { config, reload } = this.#serving ?? {}
    if (!config || !reload) return
    const { dataDir, profiles, secrets } = config()
    const isNew = (reference: string): boolean => !this.#kept.has(reference) && !this.#failed.has(reference)
    if (entryReferences(dataDir, profiles.values(), secrets).some(isNew)) void reload()
  }

  views(): readonly KeptSecret[] {
    return [...this.#kept].map(([reference, { at, failure, before }]) => ({
      reference,
      read_at: new Date(at).toISOString(),
      overlaps: before !== undefined && before.until > this.#options.clock.monotonic(),
      ...(failure ? { problem: failure.problem } : {}),
    }))
  }

  /** Begins to ask again when it is time, and reloads the gateway where a secret has changed. */
  begin(serving: Serving): void {
    this.#serving = serving
    this.#setTimer()
  }

  close(): void {
    void this.#scope.close()
    this.#serving = undefined
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  async #askFor(config: Config, asked: readonly string[], signal = this.#scope.signal): Promise<void> {
    if (asked.length === 0) return
    for (const name of new Set(asked.map(nameOf))) this.#setDue(name, config.secrets.providers)
    const answers = await askProviders({ ...providerQuestionOf(config), asked, signal })
    // What a stop has broken off is no failure of a program.
    if (signal.aborted) return
    for (const [reference, answer] of answers) this.#take(reference, answer, providerOf(reference, config.secrets.providers))
  }

  #take(reference: string, answer: ProviderAnswer, provider: SecretProvider | undefined): void {
    const { clock, log, learn } = this.#options
    const known = this.#kept.get(reference)
    const now = clock.monotonic()
    if (!('value' in answer)) {
      if (known && !known.failure)
        log(
          'warn',
          { secret: reference, reason: answer.problem, age: ageText(now - known.readAt) },
          'no newer secret: the last one stays in use',
        )
      if (known) this.#kept.set(reference, { ...known, failure: answer })
      else this.#failed.set(reference, answer)
      return
    }
    learn([answer.value])
    this.#failed.delete(reference)
    if (known?.failure) log('info', { secret: reference }, 'the secret can be read again')
    const isNew = known !== undefined && known.value !== answer.value
    if (isNew) log('info', { secret: reference, overlap_seconds: (provider?.overlapMs ?? 0) / 1000 }, 'a new secret')
    const before = isNew ? { value: known.value, until: now + (provider?.overlapMs ?? 0) } : known?.before
    this.#kept.set(reference, { value: answer.value, readAt: now, at: clock.now(), before })
  }

  #setDue(name: string, providers: Config['secrets']['providers']): void {
    const { refreshMs } = own(providers, name) ?? {}
    const { clock, random = Math.random } = this.#options
    // The random part keeps gateways that started together from asking a provider together.
    if (refreshMs === undefined) this.#due.delete(name)
    else this.#due.set(name, clock.monotonic() + refreshMs * (0.9 + 0.1 * random()))
  }

  /** Waits for the next time at which a provider is asked, or at which a replaced secret ends. */
  #setTimer(): void {
    this.#timer.stop()
    if (!this.#serving || this.#scope.isClosed) return
    const now = this.#options.clock.monotonic()
    const ends = [...this.#kept.values()].flatMap(({ before }) => (before && before.until > now ? before.until : []))
    const next = Math.min(...this.#due.values(), ...ends)
    if (Number.isFinite(next)) this.#timer.start(Math.max(0, next - now))
  }

  /** Asks the providers that are due, and reloads where the configuration in use has other secrets. */
  async #refresh(): Promise<void> {
    const serving = this.#serving
    if (!serving) return
    await this.#inTurn(async () => {
      const config = serving.config()
      const { asked } = config.secrets
      const now = this.#options.clock.monotonic()
      const due = new Set([...this.#due].flatMap(([name, at]) => (at <= now ? name : [])))
      for (const name of due) this.#due.delete(name)
      await this.#askFor(
        config,
        asked.filter((reference) => due.has(nameOf(reference))),
      )
      for (const reference of asked) this.#fresh.add(reference)
    })
    if (this.#scope.isClosed) return
    if (this.isLoaded(serving.config())) this.#fresh.clear()
    else await serving.reload()
    this.#setTimer()
  }
}

const nameOf = (reference: string): string => reference.slice(0, reference.indexOf('/'))
const providerOf = (reference: string, providers: Config['secrets']['providers']): SecretProvider | undefined =>
  own(providers, nameOf(reference))

const isSame = (a: Provided | undefined, b: Provided | undefined): boolean => {
  if (!a || !b || !('value' in a) || !('value' in b)) return (a && 'value' in a) === (b && 'value' in b)
  return a.value === b.value && a.before === b.before
}

const keptText = ({ problem }: Failure, ageMs: number): string => `${problem}; the secret that was read ${ageText(ageMs)} ago stays in use`

const ageText = (ms: number): string => {
  const seconds = Math.round(ms / 1000)
  return seconds < 120 ? `${seconds} s` : seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}
