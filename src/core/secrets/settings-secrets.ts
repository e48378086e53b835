/** Collects the secrets in settings, so that a redactor can remove them from any text by their values. */

import { isObject, type Json, type JsonObject, own } from '../json.ts'
import { holdsWords, namesVariableSecret, replaceSecretParameters, secretInWord } from './secret-names.ts'

/** Returns the values of keys that name a secret, and the secrets in web addresses. Each key below `headers` counts by its own name. */
export const secretsOfSettings = (settings: Json): string[] => {
  if (typeof settings === 'string') return secretsOfAddress(settings)
  if (Array.isArray(settings)) return settings.flatMap(secretsOfSettings)
  if (!isObject(settings)) return []
  return Object.entries(settings).flatMap(([key, value]) => {
    if (key !== 'headers' && namesVariableSecret(key)) return textsWithin(value)
    return [...secretsOfSettings(value), ...(holdsWords(key) && Array.isArray(value) ? secretsOfWords(value) : [])]
  })
}

/** Returns the secrets in the words of a command. */
const secretsOfWords = (words: readonly Json[]): string[] =>
  words.flatMap((word, i) => {
    const before = words[i - 1]
    const from = typeof word === 'string' ? secretInWord(word, typeof before === 'string' ? before : undefined) : undefined
    return typeof word === 'string' && from !== undefined ? textsWithin(word.slice(from)) : []
  })

/** The whole text is one placeholder. A payload fills it in, so the text is not a secret. */
const isPlaceholder = /^\{[^{}]*\}$/

/** Returns each text in a value, and the last word of each text, which in `Bearer …` is the token. */
const textsWithin = (value: Json): string[] => {
  if (typeof value === 'string') return isPlaceholder.test(value) ? [] : [value, value.slice(value.lastIndexOf(' ') + 1)]
  if (Array.isArray(value)) return value.flatMap(textsWithin)
  return isObject(value) ? Object.values(value).flatMap(textsWithin) : []
}

const decodedParameter = (value: string): string => new URLSearchParams(`v=${value}`).get('v') ?? value

/** Returns the login and the secret parameters of a web address such as `https://name:password@host/?token=…`, without placeholders. */
const secretsOfAddress = (text: string): string[] => {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return []
  const { username, password } = new URL(text)
  const found = [username, password]
  replaceSecretParameters(text, (value) => {
    found.push(value, decodedParameter(value))
    return value
  })
  return found.filter((value) => value !== '' && !value.includes('{'))
}

/**
 * Returns the texts of `real` that `shown`, the same value as somebody may see it, does not have: each as a whole, its last word, and what
 * is secret in it where it is an address.
 */
export const hiddenTexts = (real: Json | undefined, shown: Json | undefined): string[] => {
  if (typeof real === 'string') return real === shown ? [] : [...textsWithin(real), ...secretsOfAddress(real)]
  if (typeof real !== 'object' || real === null) return []
  const inside = (key: string): Json | undefined =>
    typeof shown === 'object' && shown !== null ? own(shown as JsonObject, key) : undefined
  return Object.entries(real).flatMap(([key, item]) => hiddenTexts(item, inside(key)))
}
