/** Renders a configuration as one YAML, with its secrets masked. */

import type { Config } from '../config/config.ts'
import { hasReference } from '../config/secrets/reference.ts'
import type { JsonObject } from '../core/json.ts'
import { stars } from '../core/secret-names.ts'
import { knownSecrets } from '../plan/known-secrets.ts'
import { maskJson, maskSecret } from '../secrets/mask.ts'
import { createRedactor, redactTexts } from '../secrets/redact.ts'
import { topOfFile } from '../secrets/secret-place.ts'
import { maskScalar } from './mask-lines/find-secrets.ts'
import { yamlText } from './yaml-text.ts'

/**
 * Masks the values of keys that name a secret, and the secrets of `config` wherever they stand. A mask has a fingerprint, so that a changed
 * secret is another mask. `maskOf` returns the mask of a secret.
 */
export const maskedConfig = (whole: JsonObject, config: Config, maskOf = maskSecret): JsonObject => {
  const masked = maskJson(whole, maskOf, stars, topOfFile) as JsonObject
  return redactTexts(masked, createRedactor(knownSecrets(config)))
}

/**
 * Masks a secret as it is written: a reference stays. A secret that was resolved must not be masked so, because it may look like a
 * reference.
 */
export const maskWritten = (text: string): string => (hasReference(text) ? maskScalar(text) : maskSecret(text))

/** Renders a configuration, whose secrets are masked, as YAML that is safe on a terminal. */
export const configText = (masked: JsonObject): string => yamlText(masked, { lineWidth: -1, noRefs: true })
