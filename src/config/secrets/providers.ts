/**
 * Secrets from programs: a value `exec:PROVIDER/ID` names a secret that a program of `secrets.providers` gives. Nothing here runs a
 * program: loading a configuration takes the secrets that were read before (`LoadOptions.provided`).
 */

import { isAbsolute } from 'node:path'
import { type Diagnostic, diagnostic, type Path, pointerOf } from '../../core/diagnostic.ts'
import { isObject, type Json, numberOr, own } from '../../core/json.ts'
import { defaults } from '../../generated/defaults.ts'
import type { Source } from '../yaml/source.ts'

/** A program that gives secrets. Times are milliseconds. */
export type SecretProvider = {
  readonly command: readonly string[]
  /** `text`: a call for each id, whose output is the secret. `json`: one call for all ids. */
  readonly protocol: 'text' | 'json'
  readonly timeoutMs: number
  /** Names of the environment variables that the program gets besides PATH and HOME. */
  readonly env: readonly string[]
  /** Absent: the program is asked only when a configuration is loaded. */
  readonly refreshMs?: number
  /** The age from which a secret verifies no request any more; absent without a limit. */
  readonly maxAgeMs?: number
  /** How long the secret before a new one still verifies requests. */
  readonly overlapMs: number
}

/**
 * What became of a reference. `before`: the secret that this one has replaced, while it still verifies requests. `kept`: why there is no
 * newer secret, in words. `problem` says why there is none, and quotes no secret.
 */
export type Provided =
  | { readonly value: string; readonly before?: string; readonly kept?: string }
  | { readonly problem: string; readonly help: string }
/** What became of each reference, by `PROVIDER/ID`. */
export type ProvidedSecrets = ReadonlyMap<string, Provided>

/** What references are resolved with. `provided` is absent where programs were not asked: then references stay as they are written. */
export type SecretSources = {
  readonly providers: { readonly [name: string]: SecretProvider }
  readonly provided?: ProvidedSecrets | undefined
}

export const noProviders: SecretSources = { providers: {} }

/**
 * A provider and an id. The id becomes a word of a command, so it never begins with `-`, and it may be a path, so it has no empty segment
 * and none of dots.
 */
const referenceForm = /^exec:([A-Za-z][\w-]{0,63})\/(?=.{1,255}$)(\w(?:[\w.@+=:#-]|\/(?!\/|\.{1,2}(?:\/|$)|$))*)$/

/** Returns the provider and the id of a reference; `undefined` for a text that is none. */
export const providerReference = (text: string): { readonly provider: string; readonly id: string } | undefined => {
  const [, provider, id] = referenceForm.exec(text) ?? []
  return provider === undefined || id === undefined ? undefined : { provider, id }
}

/** Returns `PROVIDER/ID` of a reference to a provider of the configuration; `undefined` for any other value. */
export const knownReference = (value: unknown, { providers }: SecretSources): string | undefined => {
  const named = typeof value === 'string' ? providerReference(value) : undefined
  return named && own(providers, named.provider) ? `${named.provider}/${named.id}` : undefined
}

/** Returns the providers of a configuration file. A provider whose shape is wrong, which the shape check reports, is left out. */
export const readProviders = (data: Json): SecretSources['providers'] => {
  const section = isObject(data) ? own(data, 'secrets') : undefined
  const providers = isObject(section) ? own(section, 'providers') : undefined
  return Object.fromEntries(
    Object.entries(isObject(providers) ? providers : {}).flatMap(([name, settings]) => {
      const provider = providerOf(settings)
      return provider ? [[name, provider]] : []
    }),
  )
}

const textsOf = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined

const providerOf = (settings: Json | undefined): SecretProvider | undefined => {
  if (!isObject(settings)) return undefined
  const { command, protocol, env, timeout_seconds, refresh_seconds, max_age_seconds, overlap_seconds } = settings
  const argv = textsOf(command)
  if (!argv?.[0]) return undefined
  return {
    command: argv,
    protocol: protocol === 'json' ? 'json' : defaults.secret_provider.protocol,
    timeoutMs: numberOr(timeout_seconds, defaults.secret_provider.timeout_seconds) * 1000,
    env: textsOf(env) ?? [],
    overlapMs: numberOr(overlap_seconds, defaults.secret_provider.overlap_seconds) * 1000,
    ...(typeof refresh_seconds === 'number' ? { refreshMs: refresh_seconds * 1000 } : {}),
    ...(typeof max_age_seconds === 'number' ? { maxAgeMs: max_age_seconds * 1000 } : {}),
  }
}

/** Returns a Diagnostic for each provider that cannot work as it is written. */
export const checkProviders = ({ providers }: SecretSources, { place }: Pick<Source, 'place'>): Diagnostic[] =>
  Object.entries(providers).flatMap(([name, { command, protocol, refreshMs, maxAgeMs }]) => {
    const problem = (keys: Path, message: string, help: string): Diagnostic => {
      const path = ['secrets', 'providers', name, ...keys]
      return diagnostic('WH105', `secrets.providers.${name}: ${message}`, { pointer: pointerOf(path), place: place(path), help })
    }
    const [program = '', ...words] = command
    const hasId = words.some((word) => word.includes('{id}'))
    return [
      ...(isAbsolute(program)
        ? []
        : [problem(['command', 0], 'the program has no absolute path', `\`command -v ${program}\` prints the path`)]),
      ...(protocol === 'text' && !hasId
        ? [problem(['command'], 'no word of the command has {id}', 'write {id} where the program takes the name of the secret')]
        : []),
      ...(maxAgeMs !== undefined && (refreshMs === undefined || refreshMs >= maxAgeMs)
        ? [problem(['max_age_seconds'], 'every secret would become too old', 'set refresh_seconds to a part of max_age_seconds')]
        : []),
    ]
  })
