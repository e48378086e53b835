/** Parses lists of pairs in variables of OpenTelemetry, such as `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,name=value`. */

const maxPairs = 100

/**
 * Returns the pairs, of which the first 100 are read. Values are percent-decoded. A pair without a name or without `=` is left out, as
 * OpenTelemetry's SDKs do.
 */
export const parsePairs = (text: string): { readonly [name: string]: string } =>
  Object.fromEntries(
    text
      .split(',', maxPairs)
      .map((pair): [string, string] => {
        const at = pair.indexOf('=')
        return at < 1 ? ['', ''] : [pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]
      })
      .filter(([name]) => name !== ''),
  )

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
