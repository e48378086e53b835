/** Collects the secrets in settings, so that a redactor can remove them from any text by their values. */

import { isObject, type Json, type JsonObject, own } from '../core/json.ts'
import { namesVariableSecret, pathTokens, replaceSecretParameters } from '../core/secret-names.ts'
import { type SecretPlace, secretParts, secretPlaceBelow, topOfSettings } from './secret-place.ts'

/**
 * Returns the secrets in settings, each as a whole and by its last word, and the credentials within web addresses. A header counts where
 * its own name names a secret. `isSecret`: which names of settings name a secret where the schema says nothing.
 */
export const secretsOfSettings = (settings: Json, isSecret = namesVariableSecret, place = topOfSettings): string[] => {
  if (typeof settings === 'string') return secretsOfText(settings, place)
  if (Array.isArray(settings)) {
    const below = secretPlaceBelow(place, undefined, false, isSecret)
    return settings.flatMap((item, i) =>
      typeof item === 'string' ? secretsOfText(item, below, settings[i - 1]) : secretsOfSettings(item, isSecret, below),
    )
  }
  if (!isObject(settings)) return []
  return Object.entries(settings).flatMap(([key, item]) =>
    secretsOfSettings(item, isSecret, secretPlaceBelow(place, key, isObject(item), isSecret)),
  )
}

const secretsOfText = (text: string, place: SecretPlace, before?: Json): string[] => {
  if (place.hides === 'shown') return secretsOfAddress(text, false)
  const whole = secretParts(text, place, typeof before === 'string' ? before : undefined).filter(({ isWhole }) => isWhole)
  const words = whole.flatMap(({ from }) => textsWithin(text.slice(from)))
  return [...words, ...(place.hides === 'all' ? [] : secretsOfAddress(text, place.hides !== 'login'))]
}

/** The whole text is one placeholder. A payload fills it in, so the text is not a secret. */
const isPlaceholder = /^\{[^{}]*\}$/

/** Returns each text in a value, and the last word of each text, which in `Bearer …` is the token. */
const textsWithin = (value: Json): string[] => {
  if (typeof value === 'string') return isPlaceholder.test(value) ? [] : [value, value.slice(value.lastIndexOf(' ') + 1)]
  if (Array.isArray(value)) return value.flatMap(textsWithin)
  return isObject(value) ? Object.values(value).flatMap(textsWithin) : []
}

const decodedParameter = (value: string): string => new URLSearchParams(`v=${value}`).get('v') ?? value

/** A token in a path that is shorter, or a number, is masked where it stands, but may be an ordinary word elsewhere. */
const shortestToken = 8

/**
 * Returns the login and the secret parameters of a web address such as `https://name:password@host/?token=…`, and the tokens in its path
 * where `withPath` says so; without placeholders.
 */
const secretsOfAddress = (text: string, withPath: boolean): string[] => {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return []
  const { username, password } = new URL(text)
  const found = [username, password]
  replaceSecretParameters(text, (value) => {
    found.push(value, decodedParameter(value))
    return value
  })
  const tokens = withPath ? pathTokens(text).map(({ from, to }) => text.slice(from, to)) : []
  found.push(...tokens.filter((token) => token.length >= shortestToken && /\D/.test(token)))
  return found.filter((value) => value !== '' && !value.includes('{'))
}

/**
 * Returns the texts of `real` that `shown`, the same value as somebody may see it, does not have: each as a whole, its last word, and what
 * is secret in it where it is an address.
 */
export const hiddenTexts = (real: Json | undefined, shown: Json | undefined): string[] => {
  if (typeof real === 'string') return real === shown ? [] : [...textsWithin(real), ...secretsOfAddress(real, true)]
  if (typeof real !== 'object' || real === null) return []
  const inside = (key: string): Json | undefined =>
    typeof shown === 'object' && shown !== null ? own(shown as JsonObject, key) : undefined
  return Object.entries(real).flatMap(([key, item]) => hiddenTexts(item, inside(key)))
}
