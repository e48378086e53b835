/** Reads the webhook adapter's settings, its environment variables, and its routes; and makes the RouteSource of any route. */

import { hash } from 'node:crypto'
import { diagnostic, type Path, pointerOf } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own } from '../core/json.ts'
import { writtenDigitsIn } from '../core/written-digits.ts'
import type { Config as File, Route, Subscription, WebhookSettings } from '../generated/config.ts'
import { defaults } from '../generated/defaults.ts'
import type { AdapterSettings } from '../parts/stages/stage.ts'
import { defaultProfile, type RouteSource } from './config.ts'
import { type Env, parseFlag } from './env.ts'
import type { FileReadings } from './files.ts'
import type { RoutesPart } from './include/routes-part.ts'
import { knownReference, type SecretSources } from './secrets/providers.ts'
import { noSecret } from './secrets/resolve-secrets.ts'
import { isBroken } from './shape.ts'
import type { Source } from './yaml/source.ts'

/**
 * Merges the adapter's settings key by key: `extra` wins over `platforms.webhook` (rules: Configuration 2). `enabled` counts only under
 * `platforms.webhook`, and is left out. `baseOf` returns the path at which a setting stands in the file. WH106 reports a key that stands in
 * both places.
 */
export const mergeWebhook = (
  file: File,
  source: Source | undefined,
  into: FileReadings,
): { settings: WebhookSettings; baseOf: (key: string) => Path } => {
  const webhook = isObject(file.platforms?.webhook) ? (file.platforms.webhook as JsonObject) : {}
  const extra = isObject(webhook.extra) ? webhook.extra : {}
  const { extra: _, enabled: __, ...direct } = webhook
  for (const key of Object.keys(extra)) {
    if (!Object.hasOwn(direct, key) || !source) continue
    const path = ['platforms', 'webhook', key]
    into.diagnostics.push(
      diagnostic('WH106', `"${key}" stands under webhook and under extra: the one here has no effect`, {
        pointer: pointerOf(path),
        place: source.place(path, 'key'),
        help: 'keep the one under extra',
      }),
    )
  }
  const baseOf = (key: string): Path => (Object.hasOwn(extra, key) ? ['platforms', 'webhook', 'extra', key] : ['platforms', 'webhook', key])
  return { settings: { ...direct, ...extra } as WebhookSettings, baseOf }
}

/**
 * Returns the adapter's settings without routes, secret, host and port. In place of a setting that is absent or malformed, they have the
 * schema's default, or no value where the schema has none. The shape check reports malformed settings.
 */
export const adapterOf = (settings: WebhookSettings, isMalformed: (key: string) => boolean): AdapterSettings => {
  const { routes: _routes, secret: _secret, host: _host, port: _port, ...written } = settings
  const { host: _defaultHost, port: _defaultPort, ...standard } = defaults.webhook
  return { ...standard, ...Object.fromEntries(Object.entries(written).filter(([key]) => !isMalformed(key))) }
}

/** Whether a value is a usable secret. An empty or blank text is not, nor is a bare `whsec_` (rules: Authentication 7). */
export const isUsableSecret = (secret: unknown): secret is string => typeof secret === 'string' && secret.trim() !== '' && !noSecret(secret)

/**
 * Returns no secret for a route without an address, which nobody can post to; else the public keys of a route's sender, else the route's own secrets, else (without a `secret` key) the global secret. Of each of
 * these, only the usable texts are returned.
 */
const routeSecrets = (spec: Route, globalSecret: string | undefined): string[] => {
  if (spec.address === false) return []
  if (spec.public_key !== undefined) return [spec.public_key].flat().filter(isUsableSecret)
  if (Array.isArray(spec.secrets)) return spec.secrets.filter(isUsableSecret)
  const secret = Object.hasOwn(spec, 'secret') ? spec.secret : globalSecret
  return isUsableSecret(secret) ? [secret] : []
}

/** What routes get their secrets from, besides their own spec. `globalReference`: that of the global secret, if a program gives it. */
export type SecretsAround = {
  readonly globalSecret?: string | undefined
  readonly globalReference?: string | undefined
  readonly secrets?: SecretSources | undefined
}

/** Returns the references to secrets of programs, as `PROVIDER/ID`, among the secrets that `routeSecrets` returns. */
const routeReferences = (raw: Json | undefined, { secrets, globalReference }: SecretsAround): readonly string[] => {
  if (!isObject(raw) || !secrets) return []
  const named = raw.public_key ?? (Array.isArray(raw.secrets) ? raw.secrets : raw.secret)
  if (named === undefined) return globalReference === undefined ? [] : [globalReference]
  return [named].flat().flatMap((text) => knownReference(text, secrets) ?? [])
}

/**
 * Makes a RouteSource of a route as its file has it: adds the profile, whether the route is enabled, the secrets in use and the digest.
 * `raw`: the route before its references were resolved. Behind its secrets come those that they have replaced: of programs, while these
 * still verify, and of `overlap`.
 */
export const routeSourceOf = (
  written: Pick<RouteSource, 'name' | 'origin' | 'spec' | 'place' | 'base' | 'included'>,
  raw: Json | undefined,
  around: SecretsAround,
): RouteSource => {
  const { spec } = written
  const provided = spec.address === false ? [] : routeReferences(raw, around)
  const replaced = provided.flatMap((reference) => {
    const found = around.secrets?.provided?.get(reference)
    return found && 'value' in found ? (found.before ?? []) : []
  })
  const lasting = new Set([...routeSecrets(spec, around.globalSecret), ...replaced])
  const { overlap: stored } = spec as Subscription
  const ending = (stored?.secrets ?? []).filter((secret) => isUsableSecret(secret) && !lasting.has(secret))
  const secrets = [...lasting, ...new Set(ending)]
  const overlap = stored && ending.length > 0 ? { overlap: { from: lasting.size, untilMs: Date.parse(stored.until) } } : {}
  const ofPrograms = provided.length > 0 ? { provided } : {}
  const digest = hash('sha256', JSON.stringify([written.base, spec, secrets, provided, ...writtenDigitsIn(spec)]), 'base64url')
  const enabled = spec.enabled !== false
  return { ...written, profile: spec.profile ?? defaultProfile, enabled, secrets, ...overlap, ...ofPrograms, digest }
}

/** Returns the routes of one file by name. A route with a mistake in its shape or a secret is left out. */
export const readConfiguredRoutes = (
  { written, raw, place, base, bad, included }: RoutesPart,
  around: SecretsAround,
): Map<string, RouteSource> => {
  const routes = new Map<string, RouteSource>()
  const origin = { origin: 'config', place, ...(included === undefined ? {} : { included }) } as const
  for (const [name, spec] of Object.entries(written)) {
    const at = [...base, name]
    if (isBroken(at, bad) || !isObject(spec)) continue
    routes.set(name, routeSourceOf({ ...origin, name, spec: spec as Route, base: at }, own(raw, name), around))
  }
  return routes
}

/** Returns the settings that environment variables give. WH102 and WH309 report a variable with an unusable value. */
export const environmentValues = (env: Env, into: FileReadings): { enabled?: boolean; port?: number; secret?: string } => {
  const values: { enabled?: boolean; port?: number; secret?: string } = {}
  const bad = (name: string, must: string): void => {
    into.diagnostics.push(diagnostic('WH102', `the variable ${name} must be ${must}`, { help: `mend it in the environment or in .env` }))
  }
  if (env.WEBHOOK_ENABLED !== undefined) {
    const enabled = parseFlag(env.WEBHOOK_ENABLED)
    if (enabled === undefined) bad('WEBHOOK_ENABLED', 'true or false')
    else values.enabled = enabled
  }
  if (env.WEBHOOK_PORT !== undefined && env.WEBHOOK_PORT !== '') {
    const port = Number(env.WEBHOOK_PORT)
    if (!/^\d{1,5}$/.test(env.WEBHOOK_PORT) || port > 65_535) bad('WEBHOOK_PORT', 'a port from 0 to 65535')
    else values.port = port
  }
  const [code, message, help] = noSecret(env.WEBHOOK_SECRET ?? '') ?? []
  if (code && message && help) into.diagnostics.push(diagnostic(code, `WEBHOOK_SECRET: ${message}`, { help }))
  if (isUsableSecret(env.WEBHOOK_SECRET)) values.secret = env.WEBHOOK_SECRET
  return values
}
