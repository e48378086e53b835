/** The failures of tools that use the web. */

import { callFailure } from '../../../core/calls/call-failure.ts'

/**
 * Why a tool could not fetch something from the web. The message is a sentence for the model, and quotes nothing that a stranger wrote. It is
 * no Fault: only the call of the tool ends.
 */
export class WebProblem extends Error {
  override name = 'WebProblem'
}

/**
 * Makes the WebProblem of a call that failed. `late` and `large`: its message for these kinds of failure. Any other message shows only the
 * code of the error, because the messages of errors quote addresses and answers.
 */
export const webProblem = (thrown: unknown, words: { readonly late: string; readonly large: string }): WebProblem => {
  if (thrown instanceof WebProblem) return thrown
  const { kind, code } = callFailure(thrown)
  return new WebProblem(kind === 'late' || kind === 'large' ? words[kind] : connectionProblem(code))
}

const connectionProblem = (code: string | undefined): string => {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'There is no site of this name, or its name cannot be looked up now.'
  if (code === 'HPE_HEADER_OVERFLOW') return 'The header of the answer is too large.'
  if (code?.startsWith('HPE_')) return 'The site does not speak HTTP as it should.'
  if (code !== undefined && certificate.test(code)) return 'The certificate of the site is not valid.'
  if (code?.startsWith('Z_') || code?.startsWith('ERR__ERROR_FORMAT')) return 'What the site sent cannot be unpacked.'
  return `The connection to the site failed${code === undefined ? '' : ` (${code})`}.`
}

const certificate = /CERT|SIGNATURE|ALTNAME/
