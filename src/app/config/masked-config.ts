/** Renders a configuration as one YAML, with its secrets masked. */

import type { Config } from '../../config/config.ts'
import { hasReference } from '../../config/secrets/reference.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { maskJson, maskSecret } from '../../core/secrets/mask.ts'
import { Redactor } from '../../core/secrets/redact.ts'
import { knownSecrets } from '../known-secrets.ts'
import { maskScalar } from '../mask-lines/find-secrets.ts'
import { yamlText } from '../yaml-text.ts'

/**
 * Masks the values of keys that name a secret, and the secrets of `config` wherever they stand. A mask has a fingerprint, so that a changed
 * secret is another mask. References to secrets stay as they are written.
 */
export const maskedConfig = (whole: JsonObject, config: Config): JsonObject => {
  const redactor = new Redactor()
  redactor.add(knownSecrets(config))
  const redacted = (value: Json): Json => {
    if (typeof value === 'string') return redactor.redact(value)
    if (Array.isArray(value)) return value.map(redacted)
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redacted(item)])) : value
  }
  const masked = maskJson(whole, (text) => (hasReference(text) ? maskScalar(text) : maskSecret(text)))
  return redacted(masked) as JsonObject
}

/** Renders a configuration, whose secrets are masked, as YAML that is safe on a terminal. */
export const configText = (masked: JsonObject): string => yamlText(masked, { lineWidth: -1, noRefs: true })
