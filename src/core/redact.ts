/** Takes known secrets out of texts by value, wherever they turn up: error messages, URLs, child output (P11). */

/** Shorter values would blank out ordinary words. */
const shortest = 6

/** As it is, and as it stands in a path, in a query (where a URL writes an apostrophe its own way) and in a form. */
const formsOf = (value: string): string[] => {
  const encoded = encodeURIComponent(value)
  return [value, encoded, encoded.replaceAll("'", '%27'), new URLSearchParams([['', value]]).toString().slice(1)]
}

/** A function that replaces every one of the values, and its URL-encoded forms, with `***`. */
export const createRedactor = (values: Iterable<string>): ((text: string) => string) => {
  const known = new Set<string>()
  for (const value of values) {
    if (value.length < shortest) continue
    for (const form of formsOf(value)) known.add(form)
  }
  // Longest first: a secret that contains another is not left half readable.
  const secrets = [...known].sort((a, b) => b.length - a.length)
  return (text) => secrets.reduce((rest, secret) => (rest.includes(secret) ? rest.replaceAll(secret, '***') : rest), text)
}
