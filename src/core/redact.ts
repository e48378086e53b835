/** Takes known secrets out of texts by value, wherever they turn up: error messages, URLs, child output (P11). */

/** Shorter values would blank out ordinary words. */
const shortest = 6

/** A function that replaces every one of the values, and its URL-encoded form, with `***`. */
export const createRedactor = (values: Iterable<string>): ((text: string) => string) => {
  const known = new Set<string>()
  for (const value of values) {
    if (value.length < shortest) continue
    known.add(value)
    known.add(encodeURIComponent(value))
  }
  // Longest first: a secret that contains another is not left half readable.
  const secrets = [...known].sort((a, b) => b.length - a.length)
  return (text) => secrets.reduce((rest, secret) => (rest.includes(secret) ? rest.replaceAll(secret, '***') : rest), text)
}
