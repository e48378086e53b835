/** Recognises fields that are named like a secret and hold no secret: `access_tokens_url`, `token_type`, `secret_updated_at`. */

const harmlessEnd = /_(url|at|count|type)s?$|(?<=[a-z])(Url|At|Count|Type)s?$/

/** The forms of harmless values, by the end of the field's name. */
const harmlessForms: { readonly [about: string]: RegExp } = {
  url: /^https?:\/\/[^\s"']+$/,
  at: /^\d{4}-\d\d-\d\d[T\d:. +Z-]{0,32}$|^\d{1,16}(?:\.\d{1,9})?$/,
  count: /^\d{1,16}$/,
  type: /^[A-Za-z]{1,16}(?:[ _/-][A-Za-z]{1,16}){0,3}$/,
}

/**
 * Whether a value is surely no secret, whatever its name says. A `webhook_url` is a secret itself. Logins in addresses are not looked for
 * here.
 */
export const isHarmless = (name: string, value: string): boolean => {
  if (/webhook_?urls?$/i.test(name)) return false
  const [, snake, camel] = harmlessEnd.exec(name) ?? []
  const kind = (snake ?? camel)?.toLowerCase()
  return kind !== undefined && harmlessForms[kind]?.test(value) === true && !(kind === 'url' && hasRandom(value))
}

/** Whether an address has a random part, which may give access. In a path a short part may be random: `/r/aB3dE9`. */
const hasRandom = (url: string): boolean => {
  const [, path = ''] = /^https?:\/\/[^/]*([^?#]*)/.exec(url) ?? []
  return path.split(/[/.]/).some(isMixed(6)) || url.split(/[/?&=#.:@]/).some(isMixed(16))
}

/** Returns a function that says whether a part has letters and digits, and at least `least` characters. */
const isMixed =
  (least: number) =>
  (part: string): boolean =>
    part.length >= least && /\d/.test(part) && /[a-z]/i.test(part)
