/** Gets a text from an address that an operator wrote: from a public one only, or from anywhere where the operator allows that. */

import { callServer } from '../../core/calls/call-server.ts'
import { getPublic, type PublicAnswer, type PublicRequest } from './get-public.ts'
import type { WebAccess } from './web-access.ts'

/** `isPublicOnly`: nothing is asked in a private network or on this machine. */
type TextRequest = PublicRequest & { readonly isPublicOnly: boolean }

/** Rejects with a CallFailure where there is no whole answer. `web`: what may be reached where only public addresses may. */
export const getText = async ({ isPublicOnly, ...request }: TextRequest, web?: WebAccess): Promise<PublicAnswer> => {
  if (isPublicOnly) return await getPublic(request, web)
  const { url, headers, maxBytes, ...time } = request
  const whole = { 'user-agent': 'headgate', accept: 'application/json', ...headers }
  const { status, headers: given, bytes } = await callServer(url, { headers: whole, maxAnswerBytes: maxBytes, ...time })
  return { status, header: (name) => given.get(name) ?? undefined, text: bytes.toString('utf8') }
}
