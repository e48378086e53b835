/** Writes the page of all senders, docs/senders.md, from the presets and the built-in schemes. */

import type { Preset } from '../src/parts/schemes/preset.ts'
import type { Scheme } from '../src/parts/schemes/scheme.ts'
import { withoutTags } from './in-markdown.ts'

/** Public keys for the examples. No sender uses them. */
const publicKeys: { readonly [algorithm: string]: string } = {
  ed25519: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  ecdsa_p256:
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEKmxoi4MgGf3sK9KiQYL8/bzRTle9WOU//P6hYpoaPJAhuwtDANQnGfCPUoM8wm4TGh6Ipryl2LdK1/E7Jg/uoA==',
}

/** Returns the name of the environment variable that has the key of a preset in the examples. */
export const keyVariable = ({ name, keys }: Preset): string => `${name.toUpperCase()}_${keys === 'public' ? 'PUBLIC_KEY' : 'SECRET'}`

const keyLines = (preset: Preset): string[] => {
  if (preset.keys === 'none') return []
  if (preset.keys === 'public') return [`public_key: ${publicKeys[preset.description.algorithm]} # yours`]
  return [`secret: \${${keyVariable(preset)}}`]
}

/** Says by what the gateway recognises a request that comes a second time. */
export const repeatKnownBy = ({ description: { id, signed = '{body}', algorithm } }: Preset): string => {
  if (!id) return 'nothing'
  const isSigning = algorithm !== 'token' && algorithm !== 'basic'
  if (id.header !== undefined) {
    const isSigned = [...signed.matchAll(/\{(?:header\.)?([^{}]+)\}/g)].some(([, name]) => name === 'id' || name === id.header)
    return isSigned ? 'its id, which is signed' : 'its id, which nobody signs'
  }
  if (id.body === undefined) return id.within ? 'its bytes and their time' : 'its bytes'
  return isSigning ? 'its id, which is signed' : 'its id, which nobody signs'
}

const indent = (lines: readonly string[], by: number): string =>
  lines.map((line) => (line === '' ? '' : `${' '.repeat(by)}${line}`)).join('\n')

const yamlOf = (name: string, route: readonly string[]): string =>
  ['```yaml', 'platforms:', '  webhook:', '    routes:', `      ${name.replaceAll('_', '-')}:`, indent(route, 8), '```'].join('\n')

const answerOf = ({ status, body, content_type }: NonNullable<Preset['respond']>): string =>
  body === undefined ? `${status} and no body` : `${status} and \`${body}\` as ${content_type}`

const section = (preset: Preset): string => {
  const { name, title, about, notes = [], handshakes = [], aliases = [] } = preset
  const ignored = notes.filter(({ code }) => code !== 'WH315').map(({ code }) => code)
  const ignore = ignored.length === 0 ? [] : [`# webhook-ignore ${ignored.join(', ')}: the sender has nothing else`]
  const route = [...ignore, `verify: ${name}`, ...keyLines(preset), ...about.route.trimEnd().split('\n')]
  const { before, respond } = about
  const asks = handshakes.map(({ method, signed }) => `${method}${signed ? ', signed' : ''}`)
  return [
    `## ${title}`,
    [
      `\`verify: ${name}\`${aliases.length > 0 ? ` (also ${aliases.map((each) => `\`${each}\``).join(', ')})` : ''}; [its own page](${about.docs}).`,
      `There: ${withoutTags(about.senderSetup)}. Key, ${about.keyFrom === 'sender' ? 'which the sender makes' : 'which you choose'}: ${about.key}.`,
      ...(asks.length > 0 ? [`It asks before it sends (${[...new Set(asks)].join('; ')}), and the route answers.`] : []),
      ...(respond === undefined
        ? []
        : [`Its events are answered with ${answerOf(respond)}, unless the route has a \`respond\` of its own.`]),
      ...(preset.reads?.several
        ? [
            'A request may hold several events. A route with `events` or `split: true` takes each of them as an event of its own ([Batches](rules.md#batches)). Without `events` a request is one event, whose type is that of its first; with `split: false` it is one whose type is the first that `events` lists.',
          ]
        : []),
      ...(about.uncertain === undefined ? [] : [`Not certain: ${about.uncertain}.`]),
      `Events: ${about.events.map((event) => `\`${event}\``).join(', ')}.`,
    ].join('\n'),
    ...(before === undefined ? [] : [`${before.what}.`, yamlOf(name, before.route.trimEnd().split('\n'))]),
    yamlOf(name, route),
    `Try it: \`headgate webhook test ${name.replaceAll('_', '-')} --sample ${about.sample}\`${canSign(preset) ? '' : ', with a key of your own; `webhook trace` needs none'}.`,
  ].join('\n\n')
}

const canSign = ({ keys, description }: Preset): boolean => keys === 'secret' && !description.certificate

const intro = `A route that names a sender in \`verify\` accepts only requests that this sender signs, and reads the event's type and the delivery id where this sender puts them. Without \`verify\` a route accepts requests that
GitHub, GitLab, Linear, Standard Webhooks, Svix and the generic schemes sign; the senders of this page must be named.

\`secret\` holds the key as the sender shows it, \`secrets\` several keys while one is being changed, \`public_key\` a public key. Where the sender signs the address, write the address that it posts to in \`public_url\` (of the
adapter or the route), or let a proxy in \`trust_proxy\` say it with \`X-Forwarded-Proto\` and \`X-Forwarded-Host\`. \`webhook verify\` says offline why a captured request
is refused, and \`headgate webhook subscribe NAME --from SENDER\` makes a route for a sender, \`--like SAMPLE\` or \`--like EVENT-ID\` a route for a request as it came.
Where the sender makes the key, headgate cannot generate it: \`subscribe\` asks for the key, \`--secret-file\` gives it, and \`validate\` warns of a route that has no key of its own (WH323).

Some senders ask a question before they send events: whether the address is yours, or whether you know the key. Routes answer it by themselves, before any other work. A signed
question is answered only when its signature holds. A GET is answered only on routes of such senders. A ping of a sender (\`ping\` of GitHub, Buildkite, CircleCI and Intercom, \`pagey.ping\` of PagerDuty)
is answered too, unless \`events\` of the route lists it. A sender that wants a special answer, such as an empty 200, gets it; \`respond: { status, body, content_type }\` of a route replaces that answer.

A request of these senders with two lines for its signature or credential is refused, even if one of them is right. The last column of the table says how a repeat is recognised; for an hour a recognised repeat makes no
second event. Whoever captures a request can send it again: under another id where the id is not signed, and unchanged where repeats are not recognised. Where the time is signed, that works only within its window.

The requests of a sender that signs nothing carry the secret itself. Once a request is verified, the secret reads \`***\` for filters, scripts, prompts and deliveries, and in records; a replay needs no secret.

\`allow_from\` (networks, after \`trust_proxy\`) and \`client_certificate\` (checked by the gateway or a proxy, [tls.md](tls.md)) narrow who may post at all.

A sender that sends by Svix may let its events be read instead of posting them: [\`poll\`](relay.md#senders-that-can-be-polled) needs no public address.`

const older = `## GitHub, GitLab, Linear, Standard Webhooks, Svix

Their requests need no name: a route without \`verify\` takes them, and \`verify: github\` takes nothing else. GitHub and Gitea: content type JSON, the route's secret as "Secret". GitLab: the secret as
"Secret token". Linear, Standard Webhooks and Svix show a signing secret, which goes into the route. Linear counts
nothing but a 200 as delivered, and gets one for the repeat that follows a 202: \`respond: { status: 200 }\` spares it that. What signs by none of these may use the generic V2: \`X-Webhook-Signature-V2\`, the hex HMAC-SHA256 of
\`<timestamp>.<body>\`, with \`X-Webhook-Timestamp\`.

\`\`\`yaml
platforms:
  webhook:
    routes:
      pr-review:
        verify: github
        secret: \${WEBHOOK_SECRET}
        events: [pull_request]
        prompt: "Review PR #{number} in {repository.full_name}."
\`\`\`

Try it: \`headgate webhook test pr-review --sample github/pull_request.opened\`.`

/** Writes the table of senders that repeat refused requests and senders that do not, as presets and schemes say. */
const sendAgain = (presets: readonly Preset[], schemes: readonly Scheme[]): string => {
  const repeating = [...schemes, ...presets].filter(({ repeats }) => repeats)
  const rest = presets.filter(({ repeats }) => !repeats).map(({ title }) => title)
  return `## Who sends again

After an answer that is no success (429, 502, 503 …) some senders send the event again, and some never do. What those never send again is lost at the sender, but for what somebody does by hand.
What a route's \`rate_limit\` refused is kept here, where its signature holds: \`headgate events list --outcome rate_limited\`, then \`headgate events replay <id>\`.

| sender | sends again by itself | how |
|---|---|---|
${repeating.map(({ title, repeats }) => `| ${title} | ${repeats?.byItself ? 'yes' : '**no**'} | ${repeats?.how} |`).join('\n')}

Not documented, as far as we know: Linear; ${rest.join('; ')}. Do not count on a repeat from these. For senders that sign by Standard Webhooks or by a generic scheme, it depends on their maker.`
}

const outro = `## A sender of your own

A scheme is data. A scheme under \`signature_schemes\` has a name with a hyphen, and any route can name it; a route may also have the map itself under \`verify\`. [reference.md](reference.md) lists
all keys. \`validate\` reports descriptions that cannot work or protect nothing (WH313), and keys that nothing reads (WH210).

\`\`\`yaml
signature_schemes:
  acme-sign:
    algorithm: hmac_sha256
    signature: { header: Acme-Signature, label: v1 } # t=1750000000,v1=5257a8…
    timestamp: { header: Acme-Signature, label: t, window_seconds: 300 }
    signed: "{timestamp}.{body}"
    event: { body: type }
    id: { body: id }
platforms:
  webhook:
    routes:
      orders: { verify: acme-sign, prompt: "Order {data.number}." }
      sensor: { verify: { algorithm: token, signature: { header: Authorization, prefix: "Bearer " } }, prompt: "{text}" }
\`\`\`

The questions of a sender are data too. This describes the question of X, a GET with \`?crc_token=<word>\`, and its answer, an HMAC of the word. Only words of letters, digits and \`+/-_=\` are signed, so that nobody can have an event
signed in this way. A body that could be such a word is refused as an event.

\`\`\`yaml
signature_schemes:
  acme-social:
    algorithm: hmac_sha256
    signature: { header: acme-signature, prefix: sha256=, encoding: base64 }
    handshakes:
      - method: GET
        when: { query: crc_token }
        answer: { json: { response_token: "sha256={hmac_base64}" } }
platforms:
  webhook:
    routes:
      mentions: { verify: acme-social, prompt: "{text}" }
\`\`\`

What is signed is a template: \`{body}\`, \`{timestamp}\`, \`{id}\`, \`{url}\`, \`{method}\`, \`{path}\`, \`{header.X}\`, \`{query.X}\`, \`{payload.a.b}\`, and for the odd ones \`{form}\` (the sorted fields of
a form), \`{json}\` (the body, or the field of a form that has the payload as JSON), \`{lines}\`, \`{crc32}\` and \`{secret}\`. A request that lacks one of these values is refused: a missing value never counts as an empty text.`

/** Returns the whole page. */
export const renderSenders = (presets: readonly Preset[], schemes: readonly Scheme[]): string =>
  [
    '# Senders',
    '<!-- Generated from the registry by `npm run gen`. Do not edit. -->',
    intro,
    [
      '| `verify` | sender | key | signs | asks before | a repeat is known by |',
      '|---|---|---|---|---|---|',
      ...[...presets].sort((a, b) => (a.name < b.name ? -1 : 1)).map(row),
    ].join('\n'),
    ...[...presets].sort((a, b) => (a.name < b.name ? -1 : 1)).map(section),
    older,
    sendAgain(presets, schemes),
    outro,
  ].join('\n\n')

const algorithms: { readonly [algorithm: string]: string } = {
  hmac_sha256: 'HMAC, SHA-256',
  hmac_sha512: 'HMAC, SHA-512',
  hmac_sha1: 'HMAC, SHA-1',
  ed25519: 'Ed25519',
  ecdsa_p256: 'ECDSA P-256',
  rsa_sha256: 'RSA, SHA-256',
  rsa_sha1: 'RSA, SHA-1',
  jwt: 'a JSON Web Token',
  token: 'nothing: a token',
  basic: 'nothing: user and password',
}

const row = (preset: Preset): string => {
  const { name, title, keys, description, handshakes = [], about } = preset
  const secret = `\`secret\`, ${about.keyFrom === 'sender' ? 'made by the sender' : 'chosen by you'}`
  const key = keys === 'none' ? 'fetched' : keys === 'public' ? '`public_key`' : secret
  return `| \`${name}\` | ${title} | ${key} | ${algorithms[description.algorithm]} | ${handshakes.length > 0 ? 'yes' : 'no'} | ${repeatKnownBy(preset)} |`
}
