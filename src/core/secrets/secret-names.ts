/**
 * Which names name a secret. This is the only declaration: records, logs, exports, samples, screens and imports hide by it.
 * What a request brings is hidden by fewer words than what an operator wrote: a replay's filters read the former (`X-Event-Key`, `project_key`),
 * and of a setting nobody needs to see more than its fingerprint.
 */

/** A word that a name ends with: `X-Auth` and `set-cookie`, not `X-Author`, `Auth-Version` or `X-Cookie-Policy`. */
const lastWord = (text: string): string => `(?<![a-z])(?:${text})(?![a-z_-])`

const always = [
  'secret|token|passw|passphrase|credential|authorization',
  '(?:api|private|account|access|auth|signing|shared)[_-]?key',
  lastWord('auth|cookies?'),
].join('|')
const ofRequests = new RegExp(`${always}|signature|hmac|${lastWord('sig|jwt')}`, 'i')

/** The words by which a setting names a secret: the source of a pattern without groups that catch. */
export const secretSettingWords = `${always}|headers|service_account|webhook_url|[_-]key`
const ofSettings = new RegExp(secretSettingWords, 'i')
const ofVariables = new RegExp(`${secretSettingWords}|key`, 'i')

/** Whether a header of a request, or a field of its payload, holds a secret by its name. Of a dotted path each part counts. */
export const namesRequestSecret = (name: string): boolean => ofRequests.test(name)

/** The same of the key of a setting in the configuration. `headers` is such a key: each of them may be a secret. */
export const namesSettingSecret = (key: string): boolean => ofSettings.test(key)

/** The same of a variable of the environment, or of a header that a configuration sends: nobody reads them, so that any key counts. */
export const namesVariableSecret = (name: string): boolean => ofVariables.test(name)

/** A parameter of an address, in any text. Stars and placeholders are no values. */
const parameter = /([?&]([\w.~-]{1,64})=)([^&#\s"'*{][^&#\s"']*)/g

/** The text with the value of each parameter that names a secret replaced. `at`: where the value stands in the text. */
export const replaceSecretParameters = (text: string, replace: (value: string, at: number) => string): string =>
  text.replace(parameter, (all, head: string, name: string, value: string, index: number) =>
    namesVariableSecret(name) || /^(?:code|sig)$/i.test(name) || namesRequestSecret(name)
      ? head + replace(value, index + head.length)
      : all,
  )
