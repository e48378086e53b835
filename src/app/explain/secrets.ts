/** WH3: secrets, and what refers to them. */

import type { Explanation } from './explanation.ts'

export const ofSecrets = {
  WH301: {
    means: 'The secret is short, of few different characters, or a word that stands in examples.',
    why: 'Whoever guesses it can sign as the sender; a captured request is enough to try guesses without a limit.',
    fix: 'Make one of 32 random bytes: headgate gateway setup does, and webhook subscribe does for its route. Then change it at the sender.',
    example: { of: 'route', bad: 'secret: changeme\n', good: 'secret: "${ROUTE_SECRET:-q7Zr1mVt0xKc8LwYb3NeUj5HsDf2GaPo}"\n' },
  },
  WH302: {
    means: 'Two routes have the same secret of their own.',
    why: 'A request that was signed for one of them is valid on the other, too, and who knows one secret knows both.',
    fix: 'Give each sender a secret of its own, or remove both to share the global one on purpose.',
  },
  WH303: {
    means: 'A secret stands in clear text in a file that git tracks or that other users may read.',
    why: 'It is in every clone and backup, and stays in the history when it is removed.',
    fix: 'Write ${NAME} and set the variable in .env, or file:/path. Then make a new secret, for the old one is known.',
  },
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
  WH306: {
    means: 'The secret begins or ends with a blank or a line end.',
    why: 'It is most often copied along, and signatures fail with a secret that looks right.',
    fix: 'Take the blank away. If it belongs to the secret, a comment can take the finding out.',
    example: {
      of: 'route',
      bad: 'secret: "${S:- q7Zr1mVt0xKc8LwYb3NeUj5HsDf2GaPo}"\n',
      good: 'secret: "${S:-q7Zr1mVt0xKc8LwYb3NeUj5HsDf2GaPo}"\n',
    },
  },
  WH307: {
    means: 'The secret begins with whsec_, and what follows is not base64.',
    why: 'Standard Webhooks and Svix take the key from the base64. Their signatures cannot hold with this secret; the other schemes use it as it is.',
    fix: 'Copy the whole secret from the sender: the part after whsec_ is base64.',
    example: { of: 'route', bad: 'secret: "whsec_not base64!"\n', good: 'secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n' },
  },
  WH308: {
    means: 'The gateway listens beyond loopback, and no proxy is named in trust_proxy.',
    why: 'It speaks plain HTTP: without a proxy that ends TLS, what is posted can be read on the way. Signatures protect it from changes only.',
    fix: 'Put a proxy in front and name it in trust_proxy, or bind to 127.0.0.1.',
    example: {
      of: 'config',
      bad: 'platforms:\n  webhook: { enabled: true, host: 0.0.0.0 }\n',
      good: 'platforms:\n  webhook: { enabled: true, host: 127.0.0.1 }\n',
    },
  },
  WH309: {
    means: 'The secret is the prefix whsec_ and nothing else.',
    why: 'The prefix is known to everybody: it counts as no secret.',
    fix: 'Copy the whole secret from the sender.',
    example: { of: 'route', bad: 'secret: whsec_\n', good: 'secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n' },
  },
} as const satisfies { readonly [code: string]: Explanation }
