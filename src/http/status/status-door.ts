/** Adds the status addresses to the server: `GET /webhooks/status/<token>`, with or without the prefix of a profile. */

import type { FastifyInstance } from 'fastify'
import type { Reply } from '../../core/outcome.ts'

const statusPath = /^\/(?:p\/[^/?#]+\/)?webhooks\/status\/([\w.-]{1,100})(?:\?|$)/

/** Returns the token in the path of a status address; `undefined` for any other path. Through a relay, no router reads the path. */
export const statusToken = (pathAndQuery: string): string | undefined => statusPath.exec(pathAndQuery)?.[1]

/**
 * Adds the route of status addresses to Fastify. `answer`: makes the answer for a token that anybody may have written. Fastify passes on no
 * token of more than 100 characters.
 */
export const addStatusAddresses = (app: FastifyInstance, answer: (token: string) => Promise<Reply>): void => {
  for (const url of ['/webhooks/status/:token', '/p/:profile/webhooks/status/:token'])
    app.get<{ readonly Params: { readonly token: string } }>(url, async (request, reply) => {
      const { status, body, type, headers } = await answer(request.params.token)
      return reply
        .code(status)
        .headers({ ...headers, 'content-type': type })
        .send(body)
    })
}
