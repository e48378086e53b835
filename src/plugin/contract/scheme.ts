/**
 * The contract suite for signature schemes: a scheme shows in the headers of a request that it signed, accepts the request, and refuses it
 * once the secret, the headers or the body are changed.
 */

import type { Headers } from '../../core/request.ts'
import type { Adopt } from '../../core/scope.ts'
import type { Scheme, Signed } from '../../parts/schemes/scheme.ts'
import { attempt, type ContractOptions, problemsOf, type ReportProblem } from './problems.ts'

export type SchemeOptions = ContractOptions & {
  /** Two different secrets that the scheme can use. Absent: two secrets that begin with `whsec_`. */
  readonly secrets?: readonly [secret: string, other: string]
  /** `false` for a scheme whose headers hold a token instead of a signature, so that a changed body is accepted too. */
  readonly signsBody?: boolean
}

const secretOf = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString('base64')}`
/** The time and the delivery id of the requests that are signed. */
const at = Date.UTC(2026, 0, 2)
const id = 'contract-1'
const bodies = ['{"contract":1}', '{}', '{"text":"žluťoučký 🐎"}']
/** Values that are no signature. With one of them in a header, a request must be refused. */
const rubbish = ['', ' ', 'x', 'v1,', 'sha256=', '0'.repeat(64), 'ÿ'.repeat(64), 'a'.repeat(5_000)]

/** Resolves to what is wrong with a scheme, in sentences; empty when it keeps the contract. */
export const checkScheme = (scheme: Scheme, options: SchemeOptions = {}): Promise<readonly string[]> =>
  problemsOf('scheme', scheme, options, (say, adopt) => {
    const { secrets: [secret, other] = [secretOf(1), secretOf(2)], signsBody = true } = options
    const verify = verifier(scheme, say, adopt)
    if (attempt('shows', say, () => scheme.shows({})) !== false) say('shows is not false for a request without headers')
    for (const body of bodies) {
      const signed = signedBy(scheme, { secret, body }, say)
      if (!signed) return
      const headers = asReceived(signed.headers)
      const holds = (what: string, wanted: boolean, ...request: Parameters<typeof verify>): void => {
        if (verify(...request) !== wanted) say(`${what} is ${wanted ? 'refused' : 'accepted'}`)
      }
      if (scheme.shows(headers) !== true) say('shows does not know the headers of a request that it signed')
      holds('what it signed', true, secret, headers, signed.body)
      holds('a request signed with another secret', false, other, headers, signed.body)
      if (signsBody) holds('a body that was changed', false, secret, headers, `${signed.body} `)
      for (const name of Object.keys(headers).filter((each) => scheme.shows({ [each]: headers[each] })))
        for (const value of rubbish)
          holds(`a ${name} of ${JSON.stringify(value.slice(0, 10))}`, false, secret, { ...headers, [name]: value }, signed.body)
      checkId(scheme, headers, (changed) => holds('another delivery id than the signed one', false, secret, changed, signed.body), say)
    }
  })

/** Returns headers with their names in lower case, as Node gives those of a request. */
const asReceived = (headers: Signed['headers']): { readonly [name: string]: string } =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Signs a request by the scheme. A header that HTTP cannot carry is reported. */
const signedBy = (scheme: Scheme, request: { readonly secret: string; readonly body: string }, say: ReportProblem): Signed | undefined => {
  const signed = attempt('sign', say, () => scheme.sign({ ...request, id, at, event: 'contract' }))
  if (!signed) return undefined
  const odd = Object.entries(signed.headers).find(([name, value]) => !/^[\w-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
  if (odd) say(`sign gives a header that cannot be sent: ${odd[0]}`)
  return signed
}

/**
 * Makes the function that says whether the scheme accepts a request. It calls the scheme as `stages/signature.ts` does. What the scheme
 * throws is reported, and counts as a refusal.
 */
const verifier =
  (scheme: Scheme, say: ReportProblem, adopt: Adopt) =>
  (secret: string, headers: Headers, body: string): boolean => {
    const holds = attempt('a check', say, () => {
      const checkHead = adopt(scheme.compile(secret))
      const checkBody = checkHead?.({
        method: 'POST',
        url: () => 'http://127.0.0.1/',
        headers,
        remote: () => '127.0.0.1',
        isProxied: () => false,
        at,
      })
      if (checkHead === undefined) say('compile has no use for the secret: give the check "secrets" that serve the scheme')
      return typeof checkBody === 'function' ? checkBody(Buffer.from(body)) : checkBody
    })
    if (holds !== undefined && holds !== true && typeof holds !== 'string') say('a check says neither true nor why not')
    return holds === true
  }

/**
 * Checks the id that a signature covers: it must be the delivery id that was signed. A request with a changed header that gives another id
 * must be refused, which `refuses` checks.
 */
const checkId = (
  scheme: Scheme,
  headers: { readonly [name: string]: string },
  refuses: (changed: Headers) => void,
  say: ReportProblem,
): void => {
  if (!scheme.signedId) return
  if (scheme.signedId(headers) !== id) say('signedId does not give the id that it signed')
  for (const name of Object.keys(headers)) {
    const changed = { ...headers, [name]: `${headers[name]}0` }
    if (scheme.signedId(changed) !== id) refuses(changed)
  }
}
