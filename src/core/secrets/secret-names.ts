/**
 * The only declaration of the names that name a secret: records, logs, exports, samples, screens and imports hide values by it. A request
 * is masked by fewer words than a setting. The filters of a replay read fields of a request such as `X-Event-Key` and `project_key`; of a
 * setting nobody needs to see more than its fingerprint.
 */

/** Matches a word at the end of a name: `X-Auth` and `set-cookie`, not `X-Author`, `Auth-Version` or `X-Cookie-Policy`. */
const lastWord = (text: string): string => `(?<![a-z])(?:${text})(?![a-z_-])`

const commonWords = [
  'secret|token|passw|passphrase|credential|authorization',
  '(?:api|private|account|access|auth|signing|shared)[_-]?key',
  lastWord('auth|cookies?'),
].join('|')
const ofRequests = new RegExp(`${commonWords}|signature|hmac|${lastWord('sig|jwt')}`, 'i')

/** The words by which a setting names a secret, as the source of a pattern without capturing groups. */
export const secretSettingWords = `${commonWords}|headers|service_account|webhook_url|[_-]key`
const ofSettings = new RegExp(secretSettingWords, 'i')
const ofVariables = new RegExp(`${secretSettingWords}|key`, 'i')

/** Whether a header of a request, or a field of its payload, names a secret. Each part of a dotted path counts. */
export const namesRequestSecret = (name: string): boolean => ofRequests.test(name)

/** Whether the key of a setting names a secret. `headers` does: any of them may hold a secret. */
export const namesSettingSecret = (key: string): boolean => ofSettings.test(key)

/**
 * Whether a variable of the environment, or a header that a configuration sends, names a secret. Nobody reads their values, so the word
 * `key` alone is enough.
 */
export const namesVariableSecret = (name: string): boolean => ofVariables.test(name)

/** A parameter of an address in a text. Masks and placeholders do not count as values. */
const parameter = /([?&]([\w.~-]{1,64})=)([^&#\s"'*{][^&#\s"']*)/g

/** Replaces the value of each parameter that names a secret. `at`: the offset of the value in the text. */
export const replaceSecretParameters = (text: string, replace: (value: string, at: number) => string): string =>
  text.replace(parameter, (all, head: string, name: string, value: string, index: number) =>
    namesVariableSecret(name) || /^(?:code|sig)$/i.test(name) || namesRequestSecret(name)
      ? head + replace(value, index + head.length)
      : all,
  )
