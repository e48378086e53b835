/** Runs the programs of `secrets.providers`. What a program writes to stderr is shown nowhere, because it may quote the secret. */

import { insecure } from '../../config/config.ts'
import type { Env } from '../../config/env.ts'
import type { SecretProvider } from '../../config/secrets/providers.ts'
import { isObject, type Json, own } from '../../core/json.ts'
import { printable, quoted } from '../../core/text.ts'
import { createSlots } from '../../core/turns/slots.ts'
import { type ChildResult, runChild } from '../../process/child.ts'

/** A secret, or why there is none, and what to do. */
export type ProviderAnswer = { readonly value: string } | { readonly problem: string; readonly help: string }

export type ProviderQuestion = {
  readonly providers: { readonly [name: string]: SecretProvider }
  /** The references to ask for, as `PROVIDER/ID`. Each provider is one of `providers`. */
  readonly asked: Iterable<string>
  /** Where PATH, HOME and the variables of the providers come from. */
  readonly env: Env
  readonly dir: string
  readonly signal?: AbortSignal | undefined
}

const maxPrograms = 4
/** The most secrets that are asked for. The answers stay in memory. */
const maxAsked = 1_000
const maxOutputBytes = 65_536
/** The longest reason of a `json` program that is shown. */
const maxReasonLength = 200

/** Asks for secrets, each once. Resolves to the answers by reference. Never rejects. */
export const askProviders = async ({ providers, asked, ...how }: ProviderQuestion): Promise<ReadonlyMap<string, ProviderAnswer>> => {
  const all = [...new Set(asked)]
  const answers = new Map<string, ProviderAnswer>(all.slice(maxAsked).map((reference) => [reference, tooMany]))
  const idsOf = new Map<string, string[]>()
  for (const reference of all.slice(0, maxAsked)) {
    const at = reference.indexOf('/')
    const name = reference.slice(0, at)
    idsOf.set(name, [...(idsOf.get(name) ?? []), reference.slice(at + 1)])
  }
  const calls = [...idsOf].flatMap(([name, ids]): (() => Promise<void>)[] => {
    const provider = own(providers, name)
    if (!provider) return []
    const take = (found: ReadonlyMap<string, ProviderAnswer>): void => {
      for (const [id, answer] of found) answers.set(`${name}/${id}`, answer)
    }
    const call = { provider, isLate: false, ...how }
    return provider.protocol === 'json'
      ? [async () => take(await askForAll(call, ids))]
      : ids.map((id) => async () => take(await askFor(call, id)))
  })
  const slots = createSlots(() => maxPrograms, calls.length)
  await Promise.all(calls.map((call) => slots.run(call)))
  return answers
}

/** `isLate`: a call of the provider has taken too long. */
type Call = Pick<ProviderQuestion, 'env' | 'dir' | 'signal'> & { readonly provider: SecretProvider; isLate: boolean }

const tooMany: ProviderAnswer = {
  problem: `more than ${maxAsked} secrets are asked for`,
  help: 'give routes that share a sender one secret, or use files (file:/path)',
}

/** Asks a `text` program: its output, without one line end, is the secret. */
const askFor = async (call: Call, id: string): Promise<ReadonlyMap<string, ProviderAnswer>> => {
  const argv = call.provider.command.map((word, at) => (at === 0 ? word : word.replaceAll('{id}', id)))
  // A vault that does not answer is not waited for once more for each of its secrets.
  const result: ChildResult = call.isLate ? { kind: 'timeout' } : await run(call, argv)
  call.isLate ||= result.kind === 'timeout'
  const stdout = outputOf(result)
  return new Map([[id, stdout === undefined ? failed(call, id, argv, result) : checked(call, id, argv, stdout.replace(/\r?\n$/, ''))]])
}

/** Asks a `json` program for all secrets at once. */
const askForAll = async (call: Call, ids: readonly string[]): Promise<ReadonlyMap<string, ProviderAnswer>> => {
  const argv = call.provider.command
  const question = JSON.stringify({ protocol: 1, ids })
  const result = await run(call, argv, question)
  const reply = replyOf(outputOf(result))
  const answerTo = (id: string): ProviderAnswer => {
    if (!reply)
      return outputOf(result) === undefined
        ? failed(call, id, argv, result)
        : problem(call, id, 'its output is no {"values": {…}, "errors": {…}}', argv)
    const value = own(reply.values, id)
    if (typeof value === 'string') return checked(call, id, argv, value)
    const why = own(reply.errors, id)
    return problem(call, id, typeof why === 'string' ? `it says: ${printable(why, maxReasonLength)}` : 'it gave no text for this id', argv)
  }
  return new Map(ids.map((id) => [id, answerTo(id)]))
}

const replyOf = (
  stdout: string | undefined,
): { readonly values: { [id: string]: Json }; readonly errors: { [id: string]: Json } } | undefined => {
  try {
    const reply = JSON.parse(stdout ?? '') as Json
    if (!isObject(reply)) return undefined
    const [values, errors] = [own(reply, 'values') ?? {}, own(reply, 'errors') ?? {}]
    return isObject(values) && isObject(errors) ? { values, errors } : undefined
  } catch {
    return undefined
  }
}

const run = ({ provider, env, dir, signal }: Call, argv: readonly string[], stdin?: string): Promise<ChildResult> =>
  runChild({
    argv,
    env: Object.fromEntries(['PATH', 'HOME', ...provider.env].map((name) => [name, own(env, name)])),
    cwd: dir,
    timeoutMs: provider.timeoutMs,
    maxStdoutBytes: maxOutputBytes,
    ...(stdin === undefined ? {} : { stdin }),
    ...(signal ? { signal } : {}),
  })

/** Returns what the program wrote; `undefined` where it failed. */
const outputOf = (result: ChildResult): string | undefined => (result.kind === 'exited' && result.code === 0 ? result.stdout : undefined)

/** Returns the value where it can be a secret. */
const checked = (call: Call, id: string, argv: readonly string[], value: string): ProviderAnswer => {
  const why =
    value.trim() === ''
      ? 'it gave an empty text'
      : value.includes('\0')
        ? 'it gave a text with a NUL byte'
        : value.includes('\ufffd')
          ? 'it gave a text that is no UTF-8'
          : value === insecure
            ? `it gave ${insecure}, which only a configuration file may say`
            : undefined
  return why === undefined ? { value } : problem(call, id, why, argv)
}

const failed = (call: Call, id: string, argv: readonly string[], result: ChildResult): ProviderAnswer =>
  problem(call, id, whyFailed(result, call.provider), argv)

const whyFailed = (result: ChildResult, { timeoutMs }: SecretProvider): string => {
  switch (result.kind) {
    case 'exited':
      return `its program ended with code ${result.code}`
    case 'timeout':
      return `its program took longer than ${timeoutMs / 1000} s`
    case 'flood':
      return `its program wrote more than ${maxOutputBytes} bytes`
    case 'killed':
      return `its program was ended by ${result.signal}`
    case 'aborted':
      return 'its program was stopped'
    case 'failed':
      return result.why
  }
}

const problem = ({ provider }: Call, id: string, why: string, argv: readonly string[]): ProviderAnswer => {
  const variables = ['PATH', 'HOME', ...provider.env].map((each) => `${each}="$${each}"`).join(' ')
  const input = provider.protocol === 'json' ? `echo ${quoted(JSON.stringify({ protocol: 1, ids: [id] }))} | ` : ''
  const command = printable(argv.map(quoted).join(' '), 400)
  return { problem: why, help: `see why, as the user of the gateway: ${input}env -i ${variables} ${command}` }
}
