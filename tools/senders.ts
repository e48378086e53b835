/** Writes the page of all senders, docs/senders.md, from the presets. */

import type { Preset } from '../src/parts/schemes/preset.ts'
import type { Scheme } from '../src/parts/schemes/scheme.ts'

/** Public keys that belong to nobody, for the examples. */
const publicKeys: { readonly [algorithm: string]: string } = {
  ed25519: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  ecdsa_p256:
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEKmxoi4MgGf3sK9KiQYL8/bzRTle9WOU//P6hYpoaPJAhuwtDANQnGfCPUoM8wm4TGh6Ipryl2LdK1/E7Jg/uoA==',
}

/** How the variable with its key is called in the examples. */
export const keyVariable = ({ name, keys }: Preset): string => `${name.toUpperCase()}_${keys === 'public' ? 'PUBLIC_KEY' : 'SECRET'}`

const keyLines = (preset: Preset): string[] => {
  if (preset.keys === 'none') return []
  if (preset.keys === 'public') return [`public_key: ${publicKeys[preset.description.algorithm]} # yours`]
  return [`secret: \${${keyVariable(preset)}}`]
}

/** By what a request is known that comes a second time. */
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
      `There: ${about.there}. Key, ${about.keyFrom === 'sender' ? 'which the sender makes' : 'which you choose'}: ${about.key}.`,
      ...(asks.length > 0 ? [`It asks before it sends (${[...new Set(asks)].join('; ')}), and the route answers.`] : []),
      ...(respond === undefined
        ? []
        : [`Its events are answered with ${answerOf(respond)}, unless the route has a \`respond\` of its own.`]),
      ...(preset.reads?.several
        ? [
            'A request may hold several events. It is taken as a whole when `events` lists any of them, and its type is the first of those; without `events` that of the first.',
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

const intro = `A route that names a sender in \`verify\` takes only what that sender signs, and reads the event's type and its delivery id where that sender has them. Without \`verify\` a route takes what
GitHub, GitLab, Linear, Standard Webhooks, Svix and the generic schemes sign; the senders of this page need their name.

\`secret\` holds the key as the sender shows it, \`secrets\` several while one is being changed, \`public_key\` a public one. Where the sender signs the address, say in \`public_url\` (of the
adapter or the route) what it posts to, or let a proxy in \`trust_proxy\` tell by \`X-Forwarded-Proto\` and \`X-Forwarded-Host\`. \`webhook verify\` says offline why a captured request
is refused, and \`headgate webhook subscribe NAME --from SENDER\` makes a route of a sender, \`--like SAMPLE\` or \`--like EVENT-ID\` of a request as it came.
Where the sender makes the key, nothing that is invented here could take its place: \`subscribe\` asks for it, \`--secret-file\` gives it, and \`validate\` warns of a route that has none of its own (WH323).

Some senders ask before they send events: whether the address is yours, or whether you know the key. Routes answer that by themselves, before any of their work, and where the sender signs the
question only when its signature holds. A GET is answered on routes of such senders only. A ping of a sender (\`ping\` of GitHub, Buildkite, CircleCI and Intercom, \`pagey.ping\` of PagerDuty)
is answered, too, unless \`events\` of the route lists it. A sender that wants an answer of its own, as an empty 200, gets it; \`respond: { status, body, content_type }\` of a route says another one.

A signature or credential of these senders that stands in two lines of a request refuses it, whichever of them is right. The last column of the table says by what a repeat is known, which makes no
second event for an hour. Who has captured a request can send it again under another id where nobody signs the id, and as it is where a repeat is known by nothing; a signed time ends that with its window.

Of a sender that signs nothing a request has the secret itself. Once it is verified, that place reads \`***\` for filters, scripts, prompts and deliveries, and in records; a replay needs no secret.

Who may post at all is narrowed by \`allow_from\` (networks, after \`trust_proxy\`) and by \`client_certificate\` (what a proxy in \`trust_proxy\` says of the certificate that it checked).`

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

/** Whether senders send again what was refused: from what the registry says of each. */
const sendAgain = (presets: readonly Preset[], schemes: readonly Scheme[]): string => {
  const known = [...schemes, ...presets].filter(({ repeats }) => repeats)
  const rest = presets.filter(({ repeats }) => !repeats).map(({ title }) => title)
  return `## Who sends again

After an answer that is no success (429, 502, 503 …) some senders send the event again, and some never do. What those never send again is lost at the sender, but for what somebody does by hand.
What a route's \`rate_limit\` refused is kept here, where its signature holds: \`headgate events list --outcome rate_limited\`, then \`headgate events replay <id>\`.

| sender | sends again by itself | how |
|---|---|---|
${known.map(({ title, repeats }) => `| ${title} | ${repeats?.byItself ? 'yes' : '**no**'} | ${repeats?.how} |`).join('\n')}

Not documented, as far as we know: Linear; ${rest.join('; ')}. Count on no repeat of these. What signs by Standard Webhooks or by a generic scheme does as its maker chose.`
}

const outro = `## A sender of your own

A scheme is data. One under \`signature_schemes\` has a name with a hyphen, and any route can name it; a route may also have the map itself under \`verify\`. [reference.md](reference.md) lists
all keys; whatever \`validate\` lets pass compiles, and whatever cannot work is a finding (WH313).

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

Its questions are data, too. This is what X asks by GET, \`?crc_token=<word>\`, and what it gets: an HMAC of the word, made of letters, digits and \`+/-_=\` only, so that nobody has an event
signed. A body that could be such a word is then no event.

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
a form), \`{json}\` (the body, or the field \`payload\` of a form), \`{lines}\`, \`{crc32}\` and \`{secret}\`. A value that is missing refuses the request: it is never an empty text.`

/** The whole page. */
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
