/** WH3: secrets, and what refers to them. */

import type { Explanation } from './explanation.ts'

export const ofSecrets = {
  WH304: {
    means: 'The route has the secret INSECURE_NO_AUTH: nothing is verified.',
    why: 'Every program and every web page on this machine can post to the route.',
    fix: 'Use it for tests only; headgate webhook test signs for you, so a real secret is no more work.',
    example: { of: 'route', bad: 'secret: INSECURE_NO_AUTH\n', good: 'secret: "${ROUTE_SECRET:-5d2be07c94f1}"\n' },
  },
  WH305: {
    means: 'A reference leads nowhere: the variable of ${NAME} is not set, or the file of file:/path cannot be read.',
    why: 'The secret is not known, so nobody could sign with it. In CI, where secrets are not, validate --no-env does not look for them.',
    fix: 'Set the variable in the environment or in .env, give it a default with ${NAME:-default}, or mend the path.',
    example: { of: 'route', bad: 'secret: "${NOT_SET_ANYWHERE}"\n', good: 'secret: "${NOT_SET_ANYWHERE:-5d2be07c94f1}"\n' },
  },
  WH307: {
    means: 'The secret begins with whsec_, and what follows is not base64.',
    why: 'Standard Webhooks and Svix take the key from the base64. Their signatures cannot hold with this secret; the other schemes use it as it is.',
    fix: 'Copy the whole secret from the sender: the part after whsec_ is base64.',
    example: { of: 'route', bad: 'secret: "whsec_not base64!"\n', good: 'secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n' },
  },
  WH309: {
    means: 'The secret is the prefix whsec_ and nothing else.',
    why: 'The prefix is known to everybody: it counts as no secret.',
    fix: 'Copy the whole secret from the sender.',
    example: { of: 'route', bad: 'secret: whsec_\n', good: 'secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n' },
  },
} as const satisfies { readonly [code: string]: Explanation }
