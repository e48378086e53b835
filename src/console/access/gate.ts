/**
 * Decides whether a request may reach the console. Other programs listen on other ports of this machine, and a stranger's page may give
 * this machine a name of the stranger's own, so no header alone is believed.
 */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Halves, type SignIn, type SignIns, signInMs } from './sign-ins.ts'

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

export const createGate = (signIns: SignIns): Gate => ({
  refuseHost(request) {
    const port = portOf(request)
    const isOurs = names.some((name) => request.headers.host === `${name}:${port}`)
    return isOurs ? undefined : { status: 421, error: `the console answers only at http://${names[0]}:${port}` }
  },
  refuseStranger({ headers }) {
    // A page of the same host and another port is "same-site". A page under a name that a stranger gave this machine shows no such header.
    if (headers.origin !== `http://${headers.host}` || headers['sec-fetch-site'] !== 'same-origin')
      return { status: 403, error: 'only a page of the console may ask' }
    // A form cannot send this type. For a script of another page, the browser sends a preflight first, and the console consents to none.
    if (headers['content-type'] !== 'application/json') return { status: 415, error: 'a question is application/json' }
    return undefined
  },
  signInOf(request) {
    const bearer = bearerOf(request.headers.authorization)
    const found = cookiesOf(request.headers.cookie, portOf(request)).map((cookie) => signIns.find({ bearer, cookie }))
    return found.find((each) => each !== undefined)
  },
})

/** The names of this machine under which the console answers. */
const names = ['127.0.0.1', 'localhost']

const portOf = ({ socket }: FastifyRequest): number => socket.localPort ?? 0

/** Cookies go to all ports of a host, so the name has the port. */
const cookieName = (port: number): string => `headgate_${port}`

/** Returns the header that gives the browser of a request its half in a cookie. An empty half takes the cookie away. */
export const cookieHeader = (request: FastifyRequest, { cookie }: Pick<Halves, 'cookie'>): string =>
  `${cookieName(portOf(request))}=${cookie}; Path=/ask; Max-Age=${cookie === '' ? 0 : signInMs / 1000}; HttpOnly; SameSite=Strict`

const bearerOf = (authorization = ''): string => (authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : '')

/** The most cookies of the name that are looked at. */
const maxCookies = 8

/** Returns the values of the cookies of the name: another port of this machine may set one of the same name for a longer path. */
const cookiesOf = (cookies = '', port: number): readonly string[] => {
  const start = `${cookieName(port)}=`
  return cookies
    .split('; ')
    .filter((each) => each.startsWith(start))
    .slice(0, maxCookies)
    .map((each) => each.slice(start.length))
}
