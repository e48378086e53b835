/**
 * Decides whether a request may reach the console. Other programs listen on other ports of this machine, and a stranger's page may give
 * this machine a name of the stranger's own (DNS rebinding), so no header is believed alone.
 */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookiesOf } from './cookies.ts'
import type { Forward } from './forward.ts'
import type { Origins } from './origins.ts'
import type { SignIn, SignIns } from './sign-ins.ts'

/** A refusal of a request: the HTTP status, and a sentence for the reader of the answer. */
export type AccessRefusal = { readonly status: number; readonly error: string }

/** Answers with the refusal, where there is one, and closes the connection, so that a body on its way is not read. */
export const refused = (reply: FastifyReply, refusal: AccessRefusal | undefined): FastifyReply | undefined =>
  refusal && reply.code(refusal.status).header('connection', 'close').send({ error: refusal.error })

export interface Gate {
  /** Refuses a request whose `Host` header names no origin of the console. Every request is checked, also a request for a page. */
  refuseHost(request: FastifyRequest): AccessRefusal | undefined
  /** Refuses a question that does not come from a page of the console, or that is not JSON. */
  refuseStranger(request: FastifyRequest): AccessRefusal | undefined
  /** Returns the sign-in of a request that shows both halves of its secret; `undefined` for any other request. */
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
    // For a page of another port of this host, a browser sends `same-site`. To a name that a stranger gave this machine, a browser sends no
    // such header.
    if (headers.origin !== origins.of(raw) || headers['sec-fetch-site'] !== 'same-origin')
      return { status: 403, error: 'only a page of the console may ask' }
    // An HTML form cannot send this type. For a script of another origin, the browser first asks the console in a preflight request, which
    // the console never allows.
    if (headers['content-type'] !== 'application/json') return { status: 415, error: 'a question is application/json' }
    return undefined
  },
  signInOf({ raw, headers }) {
    const bearer = bearerOf(headers.authorization)
    const found = cookiesOf('half', raw).map((cookie) => signIns.find({ bearer, cookie }))
    const signIn = found.find((each) => each !== undefined)
    if (signIn?.user.kind !== 'forward') return signIn
    // The proxy names the user and the groups again with each request. So a user who has signed out at the proxy, or has left a group,
    // loses the rights here, too.
    const said = forward?.(raw)
    return said && 'user' in said && said.user.name === signIn.user.name ? { ...signIn, rights: said.user.rights } : undefined
  },
})

const bearerOf = (authorization = ''): string => (authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : '')
