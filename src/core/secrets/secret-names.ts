/**
 * Says which names of headers, fields, settings and variables name a secret. Records, logs, exports, samples, screens and imports hide the
 * values of such names. A request is masked by fewer words than a setting, because the filters of a replay must read its `X-Event-Key` and
 * `project_key`. Of a setting nobody needs to see more than its fingerprint.
 */

/**
 * Returns the source of a pattern for words at the end of a name: `auth|cookie` matches `X-Auth` and `set-cookie`, not `X-Author`,
 * `Auth-Version` or `X-Cookie-Policy`.
 */
const lastWord = (words: string): string => `(?<![a-z])(?:${words})(?![a-z_-])`

/** Names of numbers of tokens, such as `day_tokens` and a model's `total_tokens`, without their last letter. */
const numberOfTokens = '(?:run|day|input|output|total|prompt|completion)_token(?=s(?![a-z]))'

const commonWords = [
  `secret|token(?<!${numberOfTokens})|passw|passphrase|credential|authorization`,
  '(?:api|private|account|access|auth|signing|shared)[_-]?key',
  lastWord('auth|cookies?'),
].join('|')
const ofRequests = new RegExp(`${commonWords}|signature|hmac|${lastWord('sig|jwt')}`, 'i')

/** The words by which a setting names a secret, as the source of a pattern without capturing groups. */
export const secretSettingWords = `${commonWords}|headers|service_account|webhook_url|[_-]key`
const ofSettings = new RegExp(secretSettingWords, 'i')
const ofVariables = new RegExp(`${secretSettingWords}|key`, 'i')

/** Whether the name of a request's header, or the dotted path of a field of its payload, names a secret in any of its parts. */
export const namesRequestSecret = (name: string): boolean => ofRequests.test(name)

/** Whether the key of a setting names a secret. The key `headers` counts as one, because any header in it may hold a secret. */
export const namesSettingSecret = (key: string): boolean => ofSettings.test(key)

/**
 * Whether a name names a secret where its value is only removed from texts or masked in an address: the key of a setting, a header that a
 * configuration sends, a parameter of a web address. Few filters read these values, so the word `key` alone is enough.
 */
export const namesVariableSecret = (name: string): boolean => ofVariables.test(name)

/** Whether the name of a query parameter names a secret: also `code` and `sig`, which are names of keys only in an address. */
export const namesParameterSecret = (name: string): boolean =>
  namesVariableSecret(name) || /^(?:code|sig)$/i.test(name) || namesRequestSecret(name)

/** A query parameter of a web address in a text. A value that is a mask or a placeholder does not match. */
const parameter = /([?&]([\w.~-]{1,64})=)([^&#\s"'*{][^&#\s"']*)/g

/** Replaces the value of each query parameter whose name names a secret. `at`: the offset of the value in the text. */
export const replaceSecretParameters = (text: string, replace: (value: string, at: number) => string): string =>
  text.replace(parameter, (all, head: string, name: string, value: string, index: number) =>
    namesParameterSecret(name) ? head + replace(value, index + head.length) : all,
  )

/** A user name and password before the host of an address. A placeholder is filled in by an event, so it is no secret. */
const login = /(?<=:\/\/)[^\s/?#"'{]+(?=@)/g

/** Replaces logins and the values of secret parameters in all addresses of a text. */
export const maskAddresses = (text: string, shown = '***'): string =>
  text.includes('://')
    ? replaceSecretParameters(
        text.replaceAll(login, () => shown),
        () => shown,
      )
    : text

/**
 * Puts logins and values of secret parameters back into a masked address (`maskAddresses`), from the address as it was written. A
 * parameter is looked for by its name.
 */
export const withCredentials = (masked: string, written: string, shown = '***'): string => {
  const [ofLogin] = written.match(login) ?? []
  const values = new Map<string, string[]>()
  for (const [, , name = '', value = ''] of written.matchAll(parameter)) values.set(name, [...(values.get(name) ?? []), value])
  return masked
    .replace(`://${shown}@`, (all) => (ofLogin === undefined ? all : `://${ofLogin}@`))
    .replace(/([?&]([\w.~-]{1,64})=)([^&#]*)/g, (all, head: string, name: string, value: string) =>
      value === shown ? head + (values.get(name)?.shift() ?? shown) : all,
    )
}

/** What stands before the value of an assignment or a header in a word of a command: `--api-key=`, `TOKEN=`, `Authorization: `. */
const assigned = /^-{0,2}([A-Za-z][\w.-]*)(?:=|:\s+)/
const option = /^--?[A-Za-z][\w-]*$/

/**
 * Returns the offset at which a secret begins in a word of a command; `undefined` where it has none. `before`: the word before it, which
 * may be an option that names a secret.
 */
export const secretInWord = (word: string, before: string | undefined): number | undefined => {
  const [head, name] = assigned.exec(word) ?? []
  if (head !== undefined && name !== undefined && namesVariableSecret(name)) return head.length
  const isNamed = before !== undefined && option.test(before) && namesVariableSecret(before)
  return isNamed && !word.startsWith('-') ? 0 : undefined
}

/** Whether each value of a map under this key counts as a secret: headers, and variables of a program. */
export const holdsSecrets = (key: string): boolean => /headers/i.test(key) || key === 'env'

/** Whether a list under this key has the words of a command. */
export const holdsWords = (key: string): boolean => /^command$/.test(key)
