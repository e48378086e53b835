/**
 * Says which names of headers, fields, settings and variables name a secret. Records, logs, exports, samples, screens and imports hide the
 * values of such names. A request is masked by fewer words than a setting, because the filters of a replay must read its `X-Event-Key` and
 * `project_key`. Of a setting nobody needs to see more than its fingerprint.
 */

/** What is shown in place of a secret. */
export const stars = '***'

/**
 * Returns the source of a pattern for words at the end of a name: `auth|cookie` matches `X-Auth` and `set-cookie`, not `X-Author`,
 * `Auth-Version` or `X-Cookie-Policy`.
 */
const lastWord = (words: string): string => `(?<![a-z])(?:${words})(?![a-z_-])`

/** Names of numbers of tokens, such as `day_tokens` and a model's `total_tokens`, without their last letter. */
const numberOfTokens = '(?:run|day|input|output|total|prompt|completion)_token(?=s(?![a-z]))'

/** Where a name stands: in a request, or as the key of a setting, as a variable or header of ours, or as a parameter of an address. */
type NamePlace = 'request' | 'setting' | 'variable' | 'parameter'

/** The words that name a secret, as sources of patterns without capturing groups, each with the places where it does. */
const words: readonly (readonly [source: string, places: readonly NamePlace[]])[] = [
  [`secret|token(?<!${numberOfTokens})|passw|passphrase|credential|authorization`, ['request', 'setting', 'variable', 'parameter']],
  ['(?:api|private|account|access|auth|signing|shared)[_-]?key', ['request', 'setting', 'variable', 'parameter']],
  [lastWord('auth|cookies?'), ['request', 'setting', 'variable', 'parameter']],
  [`signature|hmac|${lastWord('sig|jwt')}`, ['request', 'parameter']],
  // Any header may hold a secret.
  ['headers|service_account|webhook_url|[_-]key', ['setting', 'variable', 'parameter']],
  // The values of these are only removed from texts or masked in an address, and few filters read them.
  ['key', ['variable', 'parameter']],
  // Only in an address are these the names of keys.
  ['^(?:code|sig)$', ['parameter']],
]

const sourceFor = (place: NamePlace): string => words.flatMap(([source, places]) => (places.includes(place) ? [source] : [])).join('|')

/** The words by which a setting names a secret, as the source of a pattern without capturing groups. */
export const secretSettingWords = sourceFor('setting')

const ofRequests = new RegExp(sourceFor('request'), 'i')
const ofSettings = new RegExp(secretSettingWords, 'i')
const ofVariables = new RegExp(sourceFor('variable'), 'i')
const ofParameters = new RegExp(sourceFor('parameter'), 'i')

/** Whether the name of a request's header, or the dotted path of a field of its payload, names a secret in any of its parts. */
export const namesRequestSecret = (name: string): boolean => ofRequests.test(name)

export const namesSettingSecret = (key: string): boolean => ofSettings.test(key)

/** Whether the name of a variable, of a header that a configuration sends, or of an option of a command names a secret. */
export const namesVariableSecret = (name: string): boolean => ofVariables.test(name)

export const namesParameterSecret = (name: string): boolean => ofParameters.test(name)

/** A query parameter of a web address in a text. A value that is a mask or a placeholder does not match. */
const parameter = /([?&]([\w.~-]{1,64})=)([^&#\s"'*{][^&#\s"']*)/g

/** Replaces the value of each query parameter whose name names a secret. `at`: the offset of the value in the text. */
export const replaceSecretParameters = (text: string, replace: (value: string, at: number) => string): string =>
  text.replace(parameter, (all, head: string, name: string, value: string, index: number) =>
    namesParameterSecret(name) ? head + replace(value, index + head.length) : all,
  )

/** A user name and password before the host of an address. A placeholder is filled in by an event, so it is no secret. */
const login = /(?<=:\/\/)[^\s/?#"'{]+(?=@)/g

/** The path of an address that a whole text is, or the word of a command behind its option. */
const pathForm = /^((?:-{1,2}[\w.-]+=)?["']?[a-z][\w+.-]*:\/\/[^\s/?#]*)([^\s?#]*)/i
/** Segments of a path behind which senders and chats put the tokens of their addresses. */
const opensTokens = /^(?:services|hooks?|webhooks?|webhookb2|catch|incoming|key|tokens?|secrets?)$/i
/** Words, small numbers and versions, joined by hyphens and the like. */
const plainSegment = /^(?:[A-Z]?[a-z]{0,19}|\d{1,4}|v\d+)(?:[-_.~](?:[A-Z]?[a-z]{0,19}|\d{1,4}|v\d+))*$/

/** A part of a text, by its offsets; `to` is not included. */
export type TextPart = { readonly from: number; readonly to: number }

/** Replaces parts of a text, which are in order and do not overlap. */
export const replaceParts = <Part extends TextPart>(
  text: string,
  parts: readonly Part[],
  replace: (part: string, of: Part) => string,
): string => {
  let at = 0
  let made = ''
  for (const part of parts) {
    made += text.slice(at, part.from) + replace(text.slice(part.from, part.to), part)
    at = part.to
  }
  return at === 0 ? text : made + text.slice(at)
}

/**
 * Returns the segments in the path of an address that look like a token: long ones that are no words, and shorter ones where tokens
 * usually stand (`/services/T0001/B0001/…`). A mask is none, nor is a segment with a placeholder.
 */
export const pathTokens = (text: string): readonly TextPart[] => {
  const [, host, path] = pathForm.exec(text) ?? []
  if (host === undefined || path === undefined) return []
  const found: TextPart[] = []
  let at = host.length
  let shortest = 16
  for (const segment of path.split('/')) {
    const bare = segment.replace(/["']$/, '')
    if (bare.length >= shortest && !/[{*]/.test(bare) && !plainSegment.test(bare)) found.push({ from: at, to: at + bare.length })
    if (opensTokens.test(bare)) shortest = 4
    at += segment.length + 1
  }
  return found
}

/** Returns the logins and the values of secret parameters in all addresses of a text, in order. */
export const credentialsIn = (text: string): readonly TextPart[] => {
  if (!text.includes('://')) return []
  const found = [...text.matchAll(login)].map(({ index, 0: all }) => ({ from: index, to: index + all.length }))
  replaceSecretParameters(text, (value, at) => {
    found.push({ from: at, to: at + value.length })
    return value
  })
  return found.sort((a, b) => a.from - b.from)
}

/** Replaces logins and the values of secret parameters in all addresses of a text. */
export const maskAddresses = (text: string, shown = stars): string => replaceParts(text, credentialsIn(text), () => shown)

/**
 * Puts what was replaced back into an address whose placeholders were filled in since, from the address as it was written. A
 * parameter is looked for by its name, and a segment of the path by its position, which no placeholder changes.
 */
export const withCredentials = (masked: string, written: string, shown = stars): string => {
  const [ofLogin] = written.match(login) ?? []
  const values = new Map<string, string[]>()
  for (const [, , name = '', value = ''] of written.matchAll(parameter)) values.set(name, [...(values.get(name) ?? []), value])
  const [segments = [], before = []] = [masked, written].map((each) => pathForm.exec(each)?.[2]?.split('/'))
  const path = segments.map((segment, i) => (segment === shown ? (before[i] ?? shown) : segment)).join('/')
  return masked
    .replace(pathForm, (_, host: string) => host + path)
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
