/**
 * Why a tool could not fetch something from the web. The message is a sentence for the model, and quotes nothing that a stranger wrote. It is
 * no Fault: only the call of the tool ends.
 */
export class WebProblem extends Error {
  override name = 'WebProblem'
}

/** Makes the message of a WebProblem from any error. It shows only the error's code: the messages of errors quote addresses and answers. */
export const connectionProblem = (thrown: unknown): string => {
  const code = errorCode(thrown)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'There is no site of this name, or its name cannot be looked up now.'
  if (code === 'HPE_HEADER_OVERFLOW') return 'The header of the answer is too large.'
  if (code?.startsWith('HPE_')) return 'The site does not speak HTTP as it should.'
  if (code !== undefined && certificate.test(code)) return 'The certificate of the site is not valid.'
  if (code?.startsWith('Z_') || code?.startsWith('ERR__ERROR_FORMAT')) return 'What the site sent cannot be unpacked.'
  return `The connection to the site failed${code === undefined ? '' : ` (${code})`}.`
}

const certificate = /CERT|SIGNATURE|ALTNAME/

const errorCode = (thrown: unknown): string | undefined => {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 5; depth++) {
    if ('code' in at && typeof at.code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(at.code)) return at.code
    // When several addresses were tried, the last error stands for all of them.
    at = at instanceof AggregateError ? at.errors.at(-1) : at.cause
  }
  return undefined
}
