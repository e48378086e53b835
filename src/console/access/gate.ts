/**
 * Decides whether a request may reach the console. Other programs listen on other ports of this machine, and a stranger's page may give
 * this machine a name of the stranger's own, so no header alone is believed.
 */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookiesOf } from './cookies.ts'
import type { Forward } from './forward.ts'
import type { Origins } from './origins.ts'
import type { SignIn, SignIns } from './sign-ins.ts'

/** Why a request is refused: the HTTP status, and a sentence for whoever looks at the answer. */
export type Refusal = { readonly status: number; readonly error: string }

/** Answers with the refusal, where there is one, and closes the connection: a body that may be on its way is not taken. */
export const refused = (reply: FastifyReply, refusal: Refusal | undefined): FastifyReply | undefined =>
  refusal && reply.code(refusal.status).header('connection', 'close').send({ error: refusal.error })

export interface Gate {
  /** Checks the name by which the console was asked. Every request is checked, also one for a page. */
  refuseHost(request: FastifyRequest): Refusal | undefined
  /** Checks that a page of the console asks, with JSON. */
  refuseStranger(request: FastifyRequest): Refusal | undefined
  /** Returns the sign-in of a request that shows both halves. */
  signInOf(request: FastifyRequest): SignIn | undefined
}

export type GateOptions = { readonly signIns: SignIns; readonly origins: Origins; readonly forward: Forward | undefined }

export const createGate = ({ signIns, origins, forward }: GateOptions): Gate => ({
  refuseHost({ raw }) {
    if (origins.of(raw) !== undefined) return undefined
    const [first = 'another address', ...more] = origins.on(raw.socket)
    return { status: 421, error: `the console answers only at ${[first, ...more].join(' and ')}` }
  },
  refuseStranger({ raw, headers }) {
    // A page of the same host and another port is "same-site". A page under a name that a stranger gave this machine shows no such header.
    if (headers.origin !== origins.of(raw) || headers['sec-fetch-site'] !== 'same-origin')
      return { status: 403, error: 'only a page of the console may ask' }
    // A form cannot send this type. For a script of another page, the browser sends a preflight first, and the console consents to none.
    if (headers['content-type'] !== 'application/json') return { status: 415, error: 'a question is application/json' }
    return undefined
  },
  signInOf({ raw, headers }) {
    const bearer = bearerOf(headers.authorization)
    const found = cookiesOf('half', raw).map((cookie) => signIns.find({ bearer, cookie }))
    const signIn = found.find((each) => each !== undefined)
    if (signIn?.user.kind !== 'forward') return signIn
    // The proxy says again with each request who asks, and in which groups: a user who has signed out there is signed out here.
    const said = forward?.(raw)
    return said && 'user' in said && said.user.name === signIn.user.name ? { ...signIn, rights: said.user.rights } : undefined
  },
})

const bearerOf = (authorization = ''): string => (authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : '')
