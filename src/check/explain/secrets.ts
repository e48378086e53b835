/** Explains the codes that begin with WH3: secrets, signatures, and who may send. */

import type { Explanation } from './explanation.ts'

export const secretExplanations = {
  WH301: {
    means: 'The secret is short, of few different characters, or a word that stands in examples.',
    why: 'Whoever guesses it can sign as the sender; a captured request is enough to try guesses without a limit.',
    fix: 'Make one of 32 random bytes: headgate gateway setup does, and webhook subscribe does for its route. Then change it at the sender.',
    example: { of: 'route', bad: 'secret: changeme\n', good: 'secret: "${ROUTE_SECRET:-q7Zr1mVt0xKc8LwYb3NeUj5HsDf2GaPo}"\n' },
  },
  WH302: {
    means: 'Two routes have the same secret of their own.',
    why: 'A request that was signed for one of them is valid on the other, too, and somebody who learns one secret knows both.',
    fix: 'Give each sender a secret of its own, or remove both to share the global one on purpose.',
  },
  WH318: {
    means: 'A route answers the questions of a sender (X, Zoom) with an HMAC under a key that another scheme checks with, too.',
    why: 'Anybody may ask, and the answer is a signature of the question. Sent to the other scheme as an event, the question would pass with that signature.',
    fix: 'Let no other scheme and no other route have that key. The sender makes it, so change the other one.',
    example: {
      of: 'route',
      bad: 'verify: [x, v1]\nsecret: "${X_SECRET:-5d2be07c94f1}"\n',
      good: 'verify: x\nsecret: "${X_SECRET:-5d2be07c94f1}"\n',
    },
  },
  WH319: {
    means: 'Two schemes of a route are recognised by the same header, or by no header, so that the first of them decides on every request.',
    why: 'A request of the second sender is always refused.',
    fix: 'Give each sender a route of its own.',
    example: { of: 'route', bad: 'verify: [jira, bitbucket]\n', good: 'verify: jira\n' },
  },
  WH321: {
    means: 'The sender of a route does not repeat refused events (GitHub), and no rate_limit is written, so the default limit counts.',
    why: 'Past the limit a post gets 429, before coalesce could merge its event with others. The event is kept with its body, but runs only when somebody replays it.',
    fix: 'Write rate_limit under webhook as you want it. Where posts come in bursts, raise it and let coalesce merge the runs. To run refused events: headgate events list --outcome rate_limited, then headgate events replay.',
    example: {
      of: 'config',
      bad: 'platforms:\n  webhook:\n    enabled: true\n    routes:\n      r: { verify: github, secret: "${ROUTE_SECRET:-5d2be07c94f1}" }\n',
      good: 'platforms:\n  webhook:\n    enabled: true\n    rate_limit: 600\n    routes:\n      r: { verify: github, secret: "${ROUTE_SECRET:-5d2be07c94f1}" }\n',
    },
  },
  WH335: {
    means: 'A route delivers directly (deliver_only) without retry, and its sender does not repeat refused events (GitHub).',
    why: 'Where the target fails, even for a second, the sender gets 502 and the message is delivered by nobody. Only a record stays, and the alert delivery_failed.',
    fix: 'Add retry: {}. The message is then kept before the answer (202), and tried again as runs are. For what failed before: headgate events retry <id>.',
    example: {
      of: 'route',
      bad: 'verify: github\nevents: [push]\ndeliver_only: true\ndeliver: telegram\nprompt: "{repository.full_name}"\n',
      good: 'verify: github\nevents: [push]\ndeliver_only: true\nretry: {}\ndeliver: telegram\nprompt: "{repository.full_name}"\n',
    },
  },
  WH322: {
    means: 'The sender may send several events in one request, and the route has a list of events.',
    why: 'Where the route splits the request, each event is on its own, and a placeholder for the list of the request finds nothing. Where it does not, the request is taken as a whole when any of its events is listed, and a placeholder for the first item of the list may be of an event that is not listed.',
    fix: 'Write placeholders of the single event, or {batch.…} for the request. With split: false, let the prompt have the whole list, and say in it which events count.',
    example: {
      of: 'route',
      bad: 'verify: line\nevents: [message]\nprompt: "{events.0.message.text}"\n',
      good: 'verify: line\nevents: [message]\nprompt: "{message.text}"\n',
    },
  },
  WH320: {
    means: 'Several routes, or several schemes of one route, are checked with the same key.',
    why: 'Whoever captures a request to one of them can send it to the others, where its signature holds too, and where it is no duplicate.',
    fix: 'Give each sender a secret of its own. Where one sender posts to all of these routes, nothing is wrong.',
    example: { of: 'route', bad: 'verify: [stripe, shopify]\n', good: 'verify: stripe\n' },
  },
  WH323: {
    means: 'The sender makes its key itself, and the route has no key of its own, so the global secret is used in its place.',
    why: 'Unless the global secret happens to be that key, every request of the sender is refused (401).',
    fix: 'Put the key that the sender shows into "secret" of the route, preferably as ${NAME} with the variable in .env. docs/senders.md says where each sender shows it.',
    example: {
      of: 'route',
      bad: 'verify: stripe\n',
      good: 'verify: stripe\nsecret: "${STRIPE_SECRET:-whsec_q7Zr1mVt0xKc8LwYb3NeUj5HsDf2GaPo}"\n',
    },
  },
  WH303: {
    means:
      'A secret stands in clear text in a configuration file that git tracks or that other users may read, or the file that file:/path or credential:NAME names may be read by other users.',
    why: 'Every program on the machine can read it; what git tracks is in every clone and backup, and stays in the history when it is removed.',
    fix: 'Write ${NAME} and set the variable in .env, or file:/path or credential:NAME of a file that only its owner may read. Then make a new secret, because the old one is known.',
  },
  WH337: {
    means:
      'A program of secrets.providers, agent.command, agents or toolsets, or a plug-in, or a folder around it, is open to the writing of other users.',
    why: 'It runs with the rights of the gateway, so whoever can replace it reads every secret and every event.',
    fix: 'Take the right away (chmod go-w), or keep the program in a folder where only its owner may write. Scripts of routes are refused in that case (WH601).',
  },
  WH304: {
    means: 'The route has the secret INSECURE_NO_AUTH: nothing is verified.',
    why: 'Every program and every web page on this machine can post to the route.',
    fix: 'Use it for tests only; headgate webhook test signs for you, so a real secret is no more work.',
    example: { of: 'route', bad: 'secret: INSECURE_NO_AUTH\n', good: 'secret: "${ROUTE_SECRET:-5d2be07c94f1}"\n' },
  },
  WH329: {
    means:
      'The program of a value exec:PROVIDER/ID gave no secret: it is not there, failed, took too long, or wrote something that is no secret.',
    why: 'An enabled route or a setting needs the secret, so the gateway does not start, and a reload is refused. A running gateway keeps the secrets that it has.',
    fix: 'Run the command that the finding names, as the user of the gateway: it gets PATH, HOME and the variables under env, and no others. What the program writes to stderr is shown nowhere, because it may quote the secret.',
  },
  WH330: {
    means:
      'The program of a value exec:PROVIDER/ID failed, and the gateway goes on: it has an older secret, or only a disabled route needs this one.',
    why: 'A secret that was changed at the sender is not known here, so its requests are refused.',
    fix: 'Mend the program, and run headgate gateway reload. With refresh_seconds the gateway asks again by itself.',
  },
  WH305: {
    means:
      'A reference leads nowhere: the variable of ${NAME} is not set, the provider of exec:PROVIDER/ID is not declared, the file of file:/path or credential:NAME cannot be read, or CREDENTIALS_DIRECTORY, which has the files of credentials, is not set.',
    why: 'The secret is not known, so nobody could sign with it. In CI, where there are no secrets, validate --no-env does not look for them.',
    fix: 'Set the variable in the environment or in .env, give it a default with ${NAME:-default}, or mend the path. A credential needs LoadCredential=NAME:/path in the unit of systemd (docs/environment.md).',
    example: { of: 'route', bad: 'secret: "${NOT_SET_ANYWHERE}"\n', good: 'secret: "${NOT_SET_ANYWHERE:-5d2be07c94f1}"\n' },
  },
  WH306: {
    means: 'The secret begins or ends with a blank or a line end.',
    why: 'The blank was most often copied along with the secret, and signatures then fail although the secret looks right.',
    fix: 'Take the blank away. If it belongs to the secret, a comment can hide the finding.',
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
    why: 'The gateway speaks plain HTTP: without a proxy that ends TLS, events can be read on the way. Signatures only protect them from changes.',
    fix: 'Set tls, or put a proxy in front and name it in trust_proxy, or bind to 127.0.0.1.',
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
  WH510: {
    means: 'A secret is *** or *** (1a2b3c4d), as the program shows secrets, or an address has *** in it.',
    why: 'The stars stand for a secret only in the text of a route that the editor shows. In a file everybody knows them, so they protect nothing.',
    fix: 'Paste the secret itself from where it was made, or write a reference: ${NAME}, file:, credential: or exec:.',
    example: { of: 'route', bad: "secret: '*** (5af31ba6)'\n", good: 'secret: ${GITHUB_WEBHOOK_SECRET}\n' },
  },
  WH310: {
    means: 'The scheme of the route signs with SHA-1.',
    why: 'An HMAC with SHA-1 is not broken, but nobody should begin with it today; some senders have nothing else.',
    fix: 'Choose SHA-256 at the sender, if it has that. If it has nothing else, a comment can hide the finding.',
    example: {
      of: 'route',
      bad: 'verify: { algorithm: hmac_sha1, signature: { header: X-Signature } }\n',
      good: 'verify: { algorithm: hmac_sha256, signature: { header: X-Signature } }\n',
    },
  },
  WH311: {
    means: 'The sender proves who it is by a value in the address.',
    why: 'Addresses stand in the logs of proxies and in the settings of the sender, where more people read them than should know a secret.',
    fix: 'Use a header, if the sender can send one. Otherwise give the route a secret of its own, and narrow it with allow_from.',
    example: {
      of: 'route',
      bad: 'verify: { algorithm: token, signature: { query: token } }\n',
      good: 'verify: { algorithm: token, signature: { header: X-Token } }\n',
    },
  },
  WH312: {
    means: 'The scheme reads a time of sending that is not part of the signed text.',
    why: 'Whoever captures a request can put a new time in it, so the time window gives no protection.',
    fix: 'Put {timestamp} into "signed", where the sender signs it; else take "timestamp" out.',
    example: {
      of: 'route',
      bad: 'verify: { algorithm: hmac_sha256, signature: { header: X-S }, timestamp: { header: X-T } }\n',
      good: 'verify: { algorithm: hmac_sha256, signature: { header: X-S }, timestamp: { header: X-T }, signed: "{timestamp}.{body}" }\n',
    },
  },
  WH313: {
    means: 'The description of a signature scheme cannot work as it is written.',
    why: 'Every request of its routes would be refused, or the signature would not cover what it should.',
    fix: 'The message says what is missing; docs/senders.md has descriptions of many senders to begin with.',
    example: {
      of: 'route',
      bad: 'verify: { algorithm: hmac_sha256, signature: { header: X-S }, signed: "{timestamp}.{body}" }\n',
      good: 'verify: { algorithm: hmac_sha256, signature: { header: X-S }, timestamp: { header: X-T }, signed: "{timestamp}.{body}" }\n',
    },
  },
  WH314: {
    means: 'The key of the route is not of the kind or the form that its scheme checks with.',
    why: 'No signature could hold: a scheme with public keys needs the one of the sender in public_key, any other a secret.',
    fix: 'Copy the key from the sender as it is shown there: a public key into public_key, a secret into secret.',
    example: {
      of: 'route',
      bad: 'verify: { algorithm: ed25519, signature: { header: X-S } }\n',
      good: 'verify: { algorithm: ed25519, signature: { header: X-S } }\npublic_key: d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a\n',
    },
  },
  WH315: {
    means: 'A detail of how this sender signs is not certain: its documentation leaves it open, or contradicts itself.',
    why: 'The description is most likely right; if a genuine event is refused, look here first.',
    fix: 'Send a test event from the sender, and run headgate webhook verify on what came if it was refused.',
  },
  WH316: {
    means: 'An entry of allow_from is neither a network nor an IP address.',
    why: 'The entry would let nobody in.',
    fix: 'Write a network as 192.0.2.0/24 or 2001:db8::/32, or one address.',
    example: { of: 'route', bad: 'allow_from: [192.0.2.0/33]\n', good: 'allow_from: [192.0.2.0/24]\n' },
  },
  WH317: {
    means: 'The route asks for a client certificate, and neither the gateway (tls.client_ca) nor a listed proxy checks certificates.',
    why: 'Anybody could send the header, so it counts only from a listed proxy; fingerprint and name count only where the gateway itself asks. Otherwise every request would be refused.',
    fix: 'Set tls.client_ca, or list the address of the proxy in trust_proxy (true is not enough), and let the proxy remove the header from what clients send.',
    example: {
      of: 'config',
      bad: 'platforms:\n  webhook:\n    enabled: true\n    secret: 4b1f70c29de8\n    routes:\n      a: { client_certificate: { header: X-Fingerprint, equals: ab12 } }\n',
      good: 'platforms:\n  webhook:\n    enabled: true\n    secret: 4b1f70c29de8\n    trust_proxy: [127.0.0.1]\n    routes:\n      a: { client_certificate: { header: X-Fingerprint, equals: ab12 } }\n',
    },
  },
  WH331: {
    means: 'The gateway takes requests from a relay, and the route, or tls.client_ca for all routes, asks for a client certificate.',
    why: 'The certificate is shown in the handshake with the relay or its proxy, and ends there. Each request from the relay is refused with 403, and is not tried again.',
    fix: 'Let such senders post to the gateway itself, and leave the route out of relay.yaml. Else check the signature alone.',
    example: {
      of: 'config',
      bad: 'relay: { url: https://hooks.example.org/home, key: a-key-of-the-home-gateway }\nplatforms:\n  webhook:\n    enabled: true\n    secret: 4b1f70c29de8\n    trust_proxy: [127.0.0.1]\n    routes:\n      a: { client_certificate: { header: X-Fingerprint, equals: ab12 } }\n',
      good: 'relay: { url: https://hooks.example.org/home, key: a-key-of-the-home-gateway }\nplatforms:\n  webhook:\n    enabled: true\n    secret: 4b1f70c29de8\n    routes:\n      a: { prompt: "{n}" }\n',
    },
  },
} as const satisfies { readonly [code: string]: Explanation }
