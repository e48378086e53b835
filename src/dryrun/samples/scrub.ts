/** Replaces the secrets, e-mail addresses and IP addresses in a request, so that the request may be passed on. */

import { isIPv6 } from 'node:net'
import { isJson } from '../../core/json.ts'
import { namesParameterSecret, namesSettingSecret, replaceSecretParameters, stars } from '../../core/secret-names.ts'
import { mapStrings } from '../../datadir/json-text.ts'
import { maskPlaces, type SecretPlaces } from '../../parts/mask-request.ts'
import { maskHeaders, maskQuery } from '../../secrets/mask.ts'
import { createRedactor } from '../../secrets/redact.ts'
import { isHarmless } from './harmless.ts'
import { type ReplaceNamed, replaceNamed } from './named-values.ts'
import type { Sample } from './sample-file.ts'

/**
 * A replaced value. `at`: the name of the header, of the field of a form or of the query, or of another member of the sample
 * (`description`); the path in a JSON body; or `body` for any other body.
 */
export type Replaced = { readonly what: 'secret' | 'e-mail address' | 'IP address'; readonly at: string }

/** Matches texts that look like a secret: tokens of well-known services, keys, and logins in addresses. */
const tokenForms = new RegExp(
  [
    String.raw`gh[oprsu]_\w{20,}|github_pat_\w{20,}|gl(?:pat|ptt|dt|cbt|rt|oas|soat)-[\w.-]{16,}`,
    String.raw`xox[a-z]-[\w-]{10,}|xapp-[\w-]{10,}|(?:sk|rk|pk)_(?:live|test)_\w{10,}|whsec_[\w+/=-]{16,}|sk-[\w-]{20,}`,
    String.raw`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|AIza[\w-]{35}|ya29\.[\w-]{20,}|npm_\w{30,}|pypi-[\w-]{30,}|SG\.[\w-]{16,}\.[\w-]{16,}`,
    String.raw`lin_(?:api|oauth|wh)_\w{20,}|shp(?:at|ca|pa|ss)_[0-9a-f]{20,}|\b\d{8,10}:[\w-]{35}\b|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`,
    String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
    String.raw`(?<=\b(?:Bearer|Basic) )[\w.~+/=-]{16,}`,
    String.raw`(?<=hooks\.slack\.com/(?:services|commands|workflows|actions)/)[\w/-]+|(?<=discord(?:app)?\.com/api/webhooks/)\d+/[\w-]+`,
    String.raw`(?<=//)[^\s/?#"'@:]{1,256}:[^\s/?#"'@]{1,256}(?=@)`,
  ].join('|'),
  'g',
)

const mailForm = /(?<![\w.%+-])[\w.%+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}\b/gi
/** Matches addresses that belong to nobody: reserved for documents (RFC 2606), or the git account that all users of a code host share. */
const nobodysMail = /^git@|@(?:.*\.)?(?:example\.(?:com|net|org)|example|test|invalid|localhost)$/i

// A dot or colon may follow the address, as at the end of a sentence.
const ipv4Form = /(?<![\w-]|\w\.)(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\w)/g
/** Matches loopback addresses, addresses in 0.0.0.0/8, and addresses that are reserved for documents (RFC 5737). */
const nobodysIpv4 = /^(?:127\.|0\.|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)/
const ipv6Form = /(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}(?:[0-9a-f]{1,4}|(?<=::))(?![\w:]*\w)/gi
const nobodysIpv6 = /^(?:::1?$|2001:db8:)/i

const noPlaces: SecretPlaces = { headers: [], query: [], fields: [] }

/**
 * Returns a scrubbed copy, and a list of the replaced values. Equal values get equal stand-ins. `secrets`: known secrets to remove.
 * `places`: the headers and fields in which senders put a secret itself.
 */
export const scrub = (
  { headers, body, query, ...about }: Sample,
  secrets: readonly string[],
  places: SecretPlaces = noPlaces,
): { readonly sample: Sample; readonly replaced: readonly Replaced[] } => {
  const replaced: Replaced[] = []
  const clean = createCleaner(secrets, replaced)
  const masked = maskHeaders(headers)
  const cleanHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (masked[name] === value && !places.headers.includes(name.toLowerCase())) return [name, clean(value, name)]
      if (value !== stars) replaced.push({ what: 'secret', at: name })
      return [name, stars]
    }),
  )
  const cleanAbout = Object.fromEntries(Object.entries(about).map(([name, value]) => [name, clean(value, name)]))
  const cleanQuery = query === undefined ? {} : { query: cleanForm(maskSecretParameters(query, places, replaced), clean, replaced) }
  const open = maskSecretFields(headers, body, places, replaced)
  const cleanBody = (isJson(open) ? cleanJson : cleanForm)(open, clean, replaced)
  return { sample: { ...cleanAbout, ...cleanQuery, headers: cleanHeaders, body: cleanBody }, replaced }
}

/** Masks the parameters of a query that name a secret, or in which senders put a secret, and returns the query. */
const maskSecretParameters = (query: string, { query: names }: SecretPlaces, replaced: Replaced[]): string =>
  maskQuery(`?${query}`, (name) => {
    const hides = namesParameterSecret(name) || names.includes(name)
    if (hides) replaced.push({ what: 'secret', at: name })
    return hides
  }).slice(1)

/** Masks the fields of a body in which senders put a secret, and returns the body. */
const maskSecretFields = (headers: Sample['headers'], body: string, { fields }: SecretPlaces, replaced: Replaced[]): string => {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return fields.reduce((before, field) => {
    const after = maskPlaces({ headers: lower, body: Buffer.from(before) }, { ...noPlaces, fields: [field] }).body.toString()
    if (after !== before) replaced.push({ what: 'secret', at: field.join('.') })
    return after
  }, body)
}

/** Returns a text without secrets and personal data. `at`: where the text stands, for the list of replaced values. */
type CleanText = (text: string, at: string | (() => string)) => string

const createCleaner = (secrets: readonly string[], replaced: Replaced[]): CleanText => {
  const redact = createRedactor(secrets)
  const mails = createStandIns((count) => `person-${count}@example.com`)
  const ipv4s = createStandIns((count) => `192.0.2.${((count - 1) % 254) + 1}`)
  const ipv6s = createStandIns((count) => `2001:db8::${count.toString(16)}`)
  return (text, at) => {
    const note = (what: Replaced['what'], instead: string): string => {
      replaced.push({ what, at: typeof at === 'string' ? at : at() })
      return instead
    }
    const known = redact(text)
    if (known !== text) note('secret', stars)
    return replaceSecretParameters(known, () => note('secret', stars))
      .replace(tokenForms, () => note('secret', stars))
      .replace(mailForm, (found) => (nobodysMail.test(found) ? found : note('e-mail address', mails(found))))
      .replace(ipv4Form, (found) => (isIpv4(found) ? note('IP address', ipv4s(found)) : found))
      .replace(ipv6Form, (found) => (isSomeIpv6(found) ? note('IP address', ipv6s(found)) : found))
  }
}

/** Returns a function that numbers values from 1 and returns their stand-ins. Values that differ in letter case alone share a stand-in. */
const createStandIns = (make: (count: number) => string): ((value: string) => string) => {
  const made = new Map<string, string>()
  return (value) => {
    const key = value.toLowerCase()
    const standIn = made.get(key) ?? make(made.size + 1)
    made.set(key, standIn)
    return standIn
  }
}

const isIpv4 = (text: string): boolean => !nobodysIpv4.test(text) && text.split('.').every((part) => Number(part) <= 255)

// A text without a digit, such as `a::b`, is rather a name in C++ or Ruby.
const isSomeIpv6 = (text: string): boolean => isIPv6(text) && /\d/.test(text) && !nobodysIpv6.test(text)

/** Whether the name of a field says that its value is a secret. */
const isSecret = (name: string, value: string): boolean =>
  value !== '' && value !== stars && namesSettingSecret(name) && !isHarmless(name, value)

const cleanJson = (body: string, clean: CleanText, replaced: Replaced[]): string =>
  mapStrings(body, (value, { key, isKey, path }) => {
    if (isKey || !isSecret(key, value)) return cleanInner(value, path, clean, replaced)
    replaced.push({ what: 'secret', at: path() })
    return stars
  })

/** Scrubs a string, which may be JSON itself. Such a string keeps its spelling where nothing in it is replaced. */
const cleanInner = (value: string, path: () => string, clean: CleanText, replaced: Replaced[]): string => {
  if (!/^[[{]/.test(value) || !isJson(value)) return clean(value, path)
  const before = replaced.length
  const cleaned = cleanJson(value, clean, replaced)
  return replaced.length > before ? cleaned : value
}

const maskNamed =
  (replaced: Replaced[]): ReplaceNamed =>
  (name, value) => {
    if (!isSecret(name, value)) return value
    replaced.push({ what: 'secret', at: name })
    return stars
  }

/** Scrubs each decoded field of a form; or any other text as a whole, with the named values of XML and multipart. */
const cleanForm = (body: string, clean: CleanText, replaced: Replaced[]): string => {
  if (!/^[\w.%+[\]-]+=\S*$/.test(body)) return clean(replaceNamed(body, maskNamed(replaced)), 'body')
  const fields = [...new URLSearchParams(body)].map(([name, value]): [string, string] => {
    if (!isSecret(name, value)) return [name, cleanInner(value, () => name, clean, replaced)]
    replaced.push({ what: 'secret', at: name })
    return [name, stars]
  })
  return new URLSearchParams(fields).toString()
}
