/** Writes the page of all delivery targets, docs/targets.md, from the list of targets. */

import type { Setting, TargetPart } from '../src/parts/targets/target.ts'

const code = (text: string): string => `\`${text}\``

/** Returns the names of a setting: its key in the file, and its names in the environment. */
const named = (settings: readonly Setting[], key: string): string => {
  const env = settings.find((setting) => setting.key === key)?.env ?? []
  return env.length === 0 ? code(key) : `${code(key)} (${env.map(code).join(', ')})`
}

const row = ({ name, title, settings = [], needs = [[]], repeatable, program }: TargetPart): string => {
  const keyed = needs.map((keys) => keys.map((key) => named(settings, key)).join(', ')).filter((way) => way !== '')
  const ways = program === undefined ? keyed : [`the ${code(program)} command on the PATH`, ...keyed]
  const home =
    settings
      .find(({ key }) => key === 'home_channel')
      ?.env.map(code)
      .join(', ') ?? ''
  const told = new Set([...needs.flat(), 'home_channel'])
  const others = settings.flatMap(({ key }) => (told.has(key) ? [] : named(settings, key))).join(', ')
  const cells = [code(name), title, ways.join('<br>or ') || 'nothing', others || '-', home || '-', repeatable ? 'yes' : 'no']
  return `| ${cells.join(' | ')} |`
}

const intro = `Where replies and direct messages go: \`deliver\` of a route or a job, one name or a list. Settings stand under \`platforms.<name>\` (of \`github_comment\` and
\`gitlab_comment\` under \`platforms.github\` and \`platforms.gitlab\`), or in the environment under the names below, which win. A profile's targets use that profile's settings
and \`.env\` only. \`headgate targets list\` shows what is connected and what is missing; \`headgate targets test telegram\` sends a test message, and
\`headgate targets test --route <name> --sample <name>\` sends what a route would deliver for a sample, with the route's own settings.

Chat targets send to \`deliver_extra.chat_id\`, else to the home channel; \`message_thread_id\`, else \`thread_id\`, selects a topic or thread. With a
\`webhook_url\` alone they send to the webhook's own chat: a \`chat_id\` is then a failure, and a home channel has no effect. A text that is too long arrives in
parts, at most 30. Mentions and commands of strangers are made harmless, and their images are not loaded. \`api_base\` replaces the official address of the API.`

const outro = `**Repeats recognised** says whether the platform (or a mark in the text) recognises a message that arrives a second time. Where it does not, a delivery is tried again only when nothing can have
been posted: there was no connection, or the platform said "not now". When the platform asks to wait, headgate waits, if the wait ends within the time of the delivery: nine seconds for a
direct delivery, a minute for a reply. A delivery that a crash broke off is then dead, to be looked at and retried by hand.

**\`github_comment\`** and **\`gitlab_comment\`** end each comment with an invisible mark, which [agents.md](agents.md) explains.
\`github_comment\` looks for the mark of the same delivery before it posts. Where the token may not look (403, 404), it comments all the same; the log says that a repeat could not be recognised, and
a comment that may have arrived is then not repeated.

**\`http\`** posts \`{"route","delivery_id","text"}\` with a \`webhook-id\` that a repeat carries again; of a message of [alerts](alerts.md#fields-for-programs) their fields, too. The post is signed only with \`deliver_extra.secret\` (Standard Webhooks: \`webhook-timestamp\`,
\`webhook-signature\`); without it, the receiver cannot tell who posted, and \`validate\` says so (WH708) where the body is this one. The values that a payload fills into \`deliver_extra.url\` are percent-encoded, slashes too: a placeholder
is a piece of one segment, parameter or fragment.

A receiver that wants another body gets it by \`body\`, and another method by \`method\` (\`POST\`, \`PUT\`, \`PATCH\`):

\`\`\`yaml webhook
platforms:
  webhook:
    routes:
      page:
        prompt: "{alert.title}: {alert.text}"
        deliver: http
        deliver_only: true
        deliver_extra:
          url: https://events.pagerduty.com/v2/enqueue
          body:
            routing_key: "\${PAGERDUTY_ROUTING_KEY:-R0123456789}"
            event_action: trigger
            dedup_key: "{alert.id}"
            payload: { summary: "{reply}", source: "{alert.host}", severity: error, custom_details: { count: "{alert.count}" } }
\`\`\`

- A map or a list is sent as JSON, a map with \`content_type: application/x-www-form-urlencoded\` as a form, and a text as \`content_type\` says (absent: plain text). Texts are templates; \`{reply}\` is the text that is delivered: the agent's reply, or the prompt of \`deliver_only\`.
  \`{route}\` and \`{delivery_id}\` are there as in every template. A callback has the fields of its report, and an alert its fields (\`{key}\`, \`{state}\`, \`{severity}\` … where the message tells one); nothing else is filled in there.
- A text that is one placeholder keeps the kind of its value: \`"{alert.count}"\` is a number where the payload has one, with the digits of its sender. \`{reply}\` is a text, but for a body that is \`{reply}\` alone: it is the reply as it is, where that is JSON.
- What is filled in is escaped for its place: a string of JSON, a field of a form, an element or a quoted attribute of XML and HTML. In a text of JSON each placeholder stands within quotes (WH707).
- \`\${NAME}\` is a secret. It is read from the environment when the body is sent, so the store does not have it, and stands in no text with a placeholder (WH707). A \`$\` before a placeholder is such a reference, too.
- A body has at most 131,072 bytes. A longer one is not sent, and the delivery fails for good.
- \`headgate webhook trace ROUTE\` shows the body, and \`expect: { deliver: { body } }\` of a [test](tests.md) compares it; both have stars in place of secrets.

**Several targets**: \`deliver: [github_comment, { target: slack, deliver_extra: { chat_id: C0123 } }]\` sends one reply to each; \`deliver_mode: first_success\` tries them in
order until one has it. A direct delivery answers 200 only when the mode's condition holds; a repeat of the sender within the hour goes to the targets that have not had the text.

A target of your own is a plugin: [plugins.md](plugins.md).`

/** Returns the whole page. */
export const renderTargets = (targets: readonly TargetPart[]): string =>
  [
    '# Delivery targets',
    '<!-- Generated from the registry by `npm run gen`. Do not edit. -->',
    intro,
    [
      '| target | what it is | connected by | may have too | home channel in the environment | repeats recognised |',
      '|---|---|---|---|---|---|',
      ...targets.map(row),
    ].join('\n'),
    outro,
  ].join('\n\n')
