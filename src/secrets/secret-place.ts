/**
 * Says what is secret at a place of settings. The one list of such places is the schema's (`x-secret`, `x-address`); a key that the schema
 * does not know, of a plugin or mistyped, is judged by its name. Whatever shows, hides or gathers secrets walks its own form of the
 * settings (values, the text of a file) and asks here.
 */

import { own } from '../core/json.ts'
import { credentialsIn, namesSettingSecret, namesVariableSecret, pathTokens, secretInWord, type TextPart } from '../core/secret-names.ts'
import { nearest } from '../core/text.ts'
import { mapsOfNames, openKeys, secretKeys } from '../generated/secret-keys.ts'

/**
 * Whether a text names a secret of a program (`exec:PROVIDER/ID`). Settings have such texts in place of secrets only where programs were
 * not asked.
 */
export const namesProvider = (text: string): boolean => text.startsWith('exec:')

/** A place in settings. */
export type SecretPlace = {
  /** The nearest key. */
  readonly key: string
  /**
   * What of a text at this place is secret. `all`: the whole text. `shown`: the whole text is not shown, but it may be an ordinary word,
   * such as the value of a header, which is not searched for in other texts. `words`: what a word of a command assigns. `address`: the
   * credentials within an address. `login`: the login and the secret parameters of an address.
   */
  readonly hides: 'all' | 'shown' | 'words' | 'address' | 'login'
  /** Whether the keys of a map at this place are names of one's own, which say nothing of what is below them. */
  readonly areNames: boolean
}

/** The top of settings, such as those of a route or a target. */
export const topOfSettings: SecretPlace = { key: '', hides: 'login', areNames: false }
/** The top of a file, whose sections may be names. */
export const topOfFile: SecretPlace = { ...topOfSettings, areNames: true }

/** Keys that are often mistyped, and whose values are secrets. */
const oftenMistyped = ['secret', 'secrets', 'token', 'bot_token', 'access_token', 'password', 'api_key', 'headers', 'webhook_url']
const names = new Set(mapsOfNames)
const open = new Set(openKeys)
/**
 * Whether the name of a setting says that it is a secret; also where the name looks mistyped. The schema knows better where it has the key.
 */
export const namesSecret = (key: string): boolean => !open.has(key) && (namesSettingSecret(key) || nearest(key, oftenMistyped).length > 0)

/** Whether each value of a map under this key is hidden: of headers, and of variables of a program. */
export const isOfHidden = (key: string): boolean => /headers/i.test(key) || key === 'env'
/**
 * Whether a key names an address, judged by the name of the key. The path of the gateway's own address is no secret: senders are given it.
 */
export const isOfAddress = (key: string): boolean => /(?:^|_)(?:url|uri|endpoint)$/.test(key) && key !== 'public_url'

/**
 * Returns the place of a member. `name`: its key; `undefined` in a list. `isMap`: the member is a map. `isSecret`: which names of settings
 * name a secret where the schema says nothing.
 */
export const secretPlaceBelow = (place: SecretPlace, name: string | undefined, isMap: boolean, isSecret = namesSecret): SecretPlace => {
  if (name === undefined) return place.areNames ? { ...place, areNames: false } : place
  const at = (hides: SecretPlace['hides']): SecretPlace => ({ key: name, hides, areNames: names.has(name) })
  if (place.hides === 'all') return at('all')
  if (place.hides === 'shown') return at(namesVariableSecret(name) ? 'all' : 'shown')
  if (isMap && isOfHidden(name)) return at('shown')
  // The name of a route says nothing, but at the top of a file a name may be that of a section, such as `routes`.
  if (place.areNames && isMap) return { key: name, hides: 'login', areNames: names.has(name) && place.key === '' }
  const mark = isMap ? undefined : (own(secretKeys, `${place.key}.${name}`) ?? own(secretKeys, `${place.key}.*`) ?? own(secretKeys, name))
  if (mark === 'secret' || (!open.has(name) && isSecret(name))) return at('all')
  if (name === 'command') return at('words')
  return at(mark === 'address' || isOfAddress(name) ? 'address' : 'login')
}

const addressForm = /^(?:-{1,2}[\w.-]+=)?["']?[a-z][\w+.-]*:\/\//i

/** A part of a text that is secret. `isWhole`: it is a secret of its own, and no part of an address. */
export type SecretPart = TextPart & { readonly isWhole: boolean }

/**
 * Returns what is secret in a text at a place, in order. `text`: a value, or a scalar as a file has it, with its quotes. `before`: the text
 * before it in a list.
 */
export const secretParts = (text: string, { hides }: SecretPlace, before?: string): readonly SecretPart[] => {
  const to = text.length
  if (hides === 'all' || hides === 'shown') return [{ from: 0, to, isWhole: true }]
  const from = hides === 'words' ? secretInWord(text, before) : undefined
  if (from !== undefined) return [{ from, to, isWhole: true }]
  if (!addressForm.test(text)) return []
  const parts = hides === 'login' ? credentialsIn(text) : [...credentialsIn(text), ...pathTokens(text)].sort((a, b) => a.from - b.from)
  return parts.map((part) => ({ ...part, isWhole: false }))
}
