/** What compiles but is likely wrong: each slip with its code, the very text it is about, and a way out; and what must stay silent. */

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { fixTexts } from '../../src/check/validate/fixes.ts'
import { validate } from '../../src/check/validate/validate.ts'
import type { Diagnostic, SourceRange } from '../../src/core/diagnostic.ts'
import type { Json } from '../../src/core/json.ts'
import type { Event } from '../../src/core/request.ts'
import { builtInSamples, readSample } from '../../src/dryrun/samples/gallery.ts'
import { compileConditions } from '../../src/expr/condition.ts'
import { conditionLike } from '../../src/expr/jsonata/jsonata.ts'
import { noLists } from '../../src/expr/named-lists.ts'
import type { Condition } from '../../src/generated/config.ts'
import { operatorsByName } from '../../src/parts/operators/index.ts'
import { schemes } from '../../src/parts/schemes/index.ts'
import { branchesOf } from '../../src/plan/review/filters/branches.ts'
import { reachWith } from '../../src/plan/review/filters/reach.ts'
import { adopt } from '../fakes/adopt.ts'
import { newFolder } from '../fakes/folder.ts'

const strong = 'b0e6f2a94c7d41d8'

const env = { TELEGRAM_BOT_TOKEN: '1:a', SLACK_BOT_TOKEN: 'x', DISCORD_WEBHOOK_URL: 'https://discord.com/api/webhooks/1/a' }

type Around = { readonly rest?: string; readonly env?: { readonly [name: string]: string }; readonly secret?: string }

const configOf = (route: string, { rest = '', secret = strong }: Around): string => {
  const lines = route.trim().split('\n')
  return `platforms:\n  webhook:\n    enabled: true\n    secret: ${secret}\n    rate_limit: 100\n    routes:\n      r:\n${lines.map((line) => `        ${line}\n`).join('')}${rest}`
}

const run = async (t: Test, config: string, more: Around['env'] = {}) => {
  const skills = { 'code-review': { 'SKILL.md': 'Read twice.' }, wrong: { 'SKILL.md': '---\na: b: c\n---\n' } }
  const dir = newFolder(t, { 'config.yaml': config, bin: {}, scripts: { 'a.py': 'print()', 'a.sh': 'true' }, skills })
  chmodSync(join(dir, 'config.yaml'), 0o600)
  for (const name of ['gh', 'python3', 'bash']) writeFileSync(join(dir, 'bin', name), '#!/bin/sh\n', { mode: 0o700 })
  const workspace = { dataDir: dir, env: { PATH: join(dir, 'bin'), ...env, ...more }, self: 'headgate' }
  const { diagnostics } = await validate(workspace, { paths: [], asked: false })
  for (const { code, help } of diagnostics) t.ok(help, `${code} has a way out`)
  return diagnostics
}

const textAt = (config: string, { line, column, endLine, endColumn }: SourceRange): string => {
  const lines = config.split('\n').slice(line - 1, endLine)
  lines[lines.length - 1] = lines.at(-1)?.slice(0, endColumn - 1) ?? ''
  lines[0] = lines[0]?.slice(column - 1) ?? ''
  return lines.join('\n')
}

/** `way`: what the help or a suggestion must have. */
type Slip = readonly [title: string, route: string, code: string, at: string, way: string, around?: Around]

const templates: readonly Slip[] = [
  ['mustache', 'prompt: "new: {{title}}"', 'WH502', '{{title}}', '{title}'],
  ['mustache with blanks and payload', 'prompt: "new: {{ payload.a.b }}"', 'WH502', '{{ payload.a.b }}', '{a.b}'],
  ['a filter', 'prompt: "{{ title | upper }}"', 'WH502', '{{ title | upper }}', '$uppercase(title)'],
  ['a block', 'prompt: "{{#if a}}b{{/if}}"', 'WH502', '{{#if a}}', 'condition ?'],
  ['a workflow', 'prompt: "${{ github.event.number }}"', 'WH502', '${{ github.event.number }}', '{number}'],
  ['a shell', 'prompt: "new: ${title}"', 'WH502', '${title}', '{title}'],
  ['blanks', 'prompt: "new: { title }"', 'WH502', '{ title }', '{title}'],
  ['a blank at one side', 'prompt: "new: {title }"', 'WH502', '{title }', '{title}'],
  ['the payload in the payload', 'prompt: "new: {payload.x.y}"', 'WH507', '{payload.x.y}', '{x.y}'],
  ['the payload', 'prompt: "new: {payload}"', 'WH502', '{payload}', '{__raw__}'],
  ['the event', 'prompt: "new: {event}"', 'WH502', '{event}', '{event_type}'],
  ['the raw payload', 'prompt: "new: {_raw_}"', 'WH502', '{_raw_}', '{__raw__}'],
  ['a header', 'prompt: "new: {headers.X-GitHub-Event}"', 'WH502', '{headers.X-GitHub-Event}', 'headers.`x-github-event`'],
  ['brackets', 'prompt: "new: {commits[0].id}"', 'WH502', '{commits[0].id}', '{commits.0.id}'],
  ['all of a list', 'prompt: "new: {commits[*].id}"', 'WH502', '{commits[*].id}', '$join(commits.id'],
  ['a path with a dollar', 'prompt: "new: {$.title}"', 'WH502', '{$.title}', '{title}'],
  ['a filter in one brace', 'prompt: "new: {title|upper}"', 'WH502', '{title|upper}', '$uppercase(title)'],
  ['a function', 'prompt: "new: {upper(title)}"', 'WH502', '{upper(title)}', '{='],
  ['a tag', 'prompt: "{% if a %}b{% endif %}"', 'WH502', '{% if a %}', '{='],
  ['an open brace', 'prompt: "number {number is new"', 'WH505', '{number', '{number}'],
  ['an open brace before another', 'prompt: "{number is {title}"', 'WH505', '{number', '{number}'],
  ['a closing brace alone', 'prompt: "number number} is new"', 'WH505', 'number}', '{number}'],
  ['a brace too many', 'prompt: "a {title}} b"', 'WH505', '}', 'take it out'],
  ['the second of two in a block text', 'prompt: |\n  {title}\n  and {list[1]}, {list[0]}', 'WH502', '{list[1]}', '{list.1}'],
  ['a setting', 'deliver: slack\nprompt: p\ndeliver_extra: { chat_id: "{{channel}}" }', 'WH502', '{{channel}}', '{channel}'],
  [
    'a variable in a setting',
    'deliver: slack\nprompt: p\ndeliver_extra: { chat_id: "${CHAN}" }',
    'WH502',
    '${CHAN}',
    'write the value here',
  ],
  ['a coalesce key', 'prompt: p\ncoalesce: { key: "{{number}}" }', 'WH502', '{{number}}', '{number}'],
  ['brackets around names', 'prompt: "new: {user[name]}"', 'WH502', '{user[name]}', '{user.name}'],
  ['quotes in brackets', 'prompt: "new: {user[\'name\']}"', 'WH502', "{user['name']}", '{user.name}'],
  ['double quotes in brackets', `prompt: 'new: {user["name"]}'`, 'WH502', '{user["name"]}', '{user.name}'],
  ['each item', 'prompt: "new: {commits.*.id}"', 'WH502', '{commits.*.id}', '{= $join(commits.id, ", ") }'],
  ['a value where there is none', 'prompt: "new: {title:-none}"', 'WH502', '{title:-none}', '{= $exists(title) ? title : "none" }'],
  ['n8n', 'prompt: "new: {{ $json.body.title }}"', 'WH502', '{{ $json.body.title }}', '{title}'],
  ['an automation', 'prompt: "new: {{ trigger.json.title }}"', 'WH502', '{{ trigger.json.title }}', '{title}'],
  ['a node of n8n', `prompt: "new: {{ $('Webhook').item.json.id }}"`, 'WH502', "{{ $('Webhook').item.json.id }}", 'dotted.path'],
  ['a block of Go', 'prompt: "new: {{ range .Alerts }}"', 'WH502', '{{ range .Alerts }}', 'condition ?'],
  ['the body of an answer', 'prompt: p\nrespond: { body: "{{title}}" }', 'WH502', '{{title}}', '{title}'],
  ['an operand that a comment cuts', 'prompt: p\nfilters:\n  - field: title\n    equals: bug #1', 'WH011', '#1', 'quotes'],
  ['a path of a workflow', 'prompt: p\nfilters: [{ field: github.event.action, equals: x }]', 'WH341', 'github.event.action', 'action'],
  ['the name of a field of a form', 'prompt: p\nfilters: [{ field: "user[name]", equals: x }]', 'WH341', '"user[name]"', 'user.name'],
  ['nothing but the payload', 'deliver: slack\ndeliver_extra: { chat_id: C012345 }', 'WH506', 'r', 'write a prompt'],
]

const filters: readonly Slip[] = [
  ['two values', 'filters:\n  - { field: a, equals: x }\n  - { field: a, equals: y }', 'WH403', 'y', 'with `in`'],
  ['a value and a list', 'filters:\n  - { field: a, in: [x, y] }\n  - { field: a, equals: z }', 'WH403', 'z', 'with `in`'],
  ['missing and a value', 'filters: [{ field: a, missing: true }, { field: a, equals: z }]', 'WH403', 'z', '`any`'],
  ['a value and its opposite', 'filters: [{ field: a, equals: 1 }, { not: { field: a, equals: 1 } }]', 'WH403', '1', '`any`'],
  ['a value that a pattern refuses', 'filters: [{ field: a, equals: dev }, { field: a, regex: "^main" }]', 'WH403', '"^main"', '`any`'],
  ['two starts', 'filters: [{ field: a, regex: "^dev" }, { field: a, regex: "^main" }]', 'WH403', '"^main"', '`any`'],
  ['a pattern and its opposite', 'filters: [{ field: a, regex: x }, { not: { field: a, regex: x } }]', 'WH403', 'x', '`any`'],
  ['none of an empty list', 'filters: [{ field: a, in: [] }]', 'WH403', '[]', 'name a value'],
  ['an empty any', 'filters: [{ any: [] }]', 'WH403', '[{ any: [] }]', '`any`'],
  [
    'a dead branch',
    'filters:\n  - { field: a, equals: x }\n  - any: [{ field: b, equals: 1 }, { field: a, equals: y }]',
    'WH403',
    '{ field: a, equals: y }',
    'remove it',
  ],
  [
    'all unequal',
    'filters: [{ any: [{ field: a, not_equals: x }, { field: a, not_equals: y }] }]',
    'WH404',
    '{ any: [{ field: a, not_equals: x }, { field: a, not_equals: y }] }',
    'remove it',
  ],
  [
    'the type of an event is always there',
    'filters: [{ field: event, exists: true }]',
    'WH404',
    '{ field: event, exists: true }',
    'remove it',
  ],
  [
    'twice the same',
    'filters:\n  - { field: a, equals: x }\n  - { field: b, equals: x }\n  - { field: a, equals: x }',
    'WH410',
    '{ field: a, equals: x }',
    'remove',
  ],
  [
    'a branch within another',
    'filters: [{ any: [{ field: a, in: [x, y] }, { field: a, equals: x }] }]',
    'WH410',
    '{ field: a, equals: x }',
    'remove',
  ],
  ['an event that is not listed', 'events: [push]\nfilters: [{ field: event, equals: pull_request }]', 'WH408', 'pull_request', 'add it'],
  ['one of a list', 'events: [push, issues]\nfilters: [{ field: event_type, in: [push, issue] }]', 'WH408', 'issue', '"issues"'],
  ['a header is a text', 'filters: [{ field: headers.X-Count, equals: 5 }]', 'WH406', '5', '"5"'],
  ['a list as one item', 'filters: [{ field: labels, contains: [bug, fix] }]', 'WH406', '[bug, fix]', '`any`'],
  ['anchors', 'filters: [{ field: ref, contains: "^refs/heads" }]', 'WH411', '"^refs/heads"', '`regex`'],
  ['a star', 'filters: [{ field: ref, equals: refs/heads/release/* }]', 'WH411', 'refs/heads/release/*', '`matches_glob`'],
  ['two fields', 'filters: [{ field: a, equals: "{b.c}" }]', 'WH411', '"{b.c}"', 'equals_field: b.c'],
  ['a text that begins otherwise', 'filters: [{ field: a, equals: dev }, { field: a, starts_with: main }]', 'WH403', 'main', '`any`'],
  ['two beginnings', 'filters: [{ field: a, starts_with: dev }, { field: a, starts_with: main }]', 'WH403', 'main', '`any`'],
  ['a beginning and a pattern', 'filters: [{ field: a, starts_with: dev }, { field: a, regex: "^main" }]', 'WH403', '"^main"', '`any`'],
  ['two ends', 'filters: [{ field: a, ends_with: .md }, { field: a, ends_with: .ts }]', 'WH403', '.ts', '`any`'],
  ['a value that a glob refuses', 'filters: [{ field: a, in: [x, y] }, { field: a, matches_glob: "z*" }]', 'WH403', '"z*"', '`any`'],
  ['a value and a list without it', 'filters: [{ field: a, equals: x }, { field: a, not_in: [x, y] }]', 'WH403', '[x, y]', '`any`'],
  ['missing and another field', 'filters: [{ field: a, missing: true }, { field: a, equals_field: b }]', 'WH403', 'b', '`any`'],
  ['more and less', 'filters: [{ field: a, gt: 5 }, { field: a, lte: 5 }]', 'WH403', '5', '`any`'],
  [
    'later and sooner',
    'filters: [{ field: a, gte: "2026-01-02" }, { field: a, lt: "2026-01-02T01:00:00+01:00" }]',
    'WH403',
    '"2026-01-02T01:00:00+01:00"',
    '`any`',
  ],
  ['longer and shorter', 'filters: [{ field: a, lt: { length: 3 } }, { field: a, gt: { length: 3 } }]', 'WH403', '{ length: 3 }', '`any`'],
  ['a value that is too small', 'filters: [{ field: a, in: [1, 2] }, { field: a, gt: 2 }]', 'WH403', '2', '`any`'],
  ['a number for a header', 'filters: [{ field: headers.X-Count, gt: 5 }]', 'WH406', '5', '$number'],
  ['a beginning with a sign of patterns', 'filters: [{ field: ref, starts_with: "^refs/" }]', 'WH411', '"^refs/"', '`regex`'],
  ['slashes around a text', 'filters: [{ field: ref, regex: /main/i }]', 'WH411', '/main/i', '(?i)main'],
  [
    'an expression for a condition',
    'filters: [{ jsonata: \'payload.a.b >= 5 and $contains(payload.t, "x")\' }]',
    'WH420',
    '\'payload.a.b >= 5 and $contains(payload.t, "x")\'',
    '{ all: [{ field: "a.b", gte: 5 }, { field: "t", contains: "x" }] }',
  ],
  ['a list for equals', 'filters: [{ field: action, equals: [opened, closed] }]', 'WH411', 'equals', 'in'],
  ['a number sign', 'prompt: PR #{number} {title}', 'WH011', '#{number} {title}', 'quotes'],
  ['a channel', 'prompt: p\ndeliver: slack\ndeliver_extra:\n  chat_id: C012345 #ops', 'WH011', '#ops', 'quotes'],
  ['a placeholder behind a blank', 'coalesce:\n  key: a # {b}', 'WH011', '# {b}', 'quotes'],
  ['yes', 'filters: [{ field: draft, equals: yes }]', 'WH006', 'yes', 'true'],
  ['leading zeros', 'filters: [{ field: code, equals: 0755 }]', 'WH006', '0755', '"0755"'],
  ['a pattern', 'events: ["charge.*"]', 'WH226', '"charge.*"', "matches_glob: 'charge.*'"],
  ['a plural', 'events: [pull_requests]', 'WH226', 'pull_requests', 'pull_request'],
  ['one letter', 'events: [pull_reqest]', 'WH226', 'pull_reqest', 'pull_request'],
  [
    'a type that ends work',
    'verify: github\nevents: [push]\ncancel_on: { events: [pull_reqest], key: "{repository.full_name}" }',
    'WH226',
    'pull_reqest',
    'pull_request',
  ],
  ['another case', 'events: [Merge_Request]', 'WH226', 'Merge_Request', 'merge_request'],
  [
    'an action of GitHub',
    'verify: github\nevents: [pull_request.opened]',
    'WH226',
    'pull_request.opened',
    '{ field: action, equals: opened }',
  ],
  ['an event that GitHub has not', 'verify: github\nevents: [issue]', 'WH226', 'issue', 'issues'],
  ['an event that is far from all of GitHub', 'verify: github\nevents: [push, deployed-by-us]', 'WH226', 'deployed-by-us', 'pull_request'],
  ['a branch behind an event', 'verify: github\nevents: [push.main]', 'WH226', 'push.main', '"push"'],
  ['a state behind an event', 'verify: gitlab\nevents: [pipeline.failed]', 'WH226', 'pipeline.failed', '"pipeline"'],
  ['an action of GitLab', 'verify: gitlab\nevents: [merge_request.open]', 'WH226', 'merge_request.open', 'object_attributes.action'],
  [
    'an action of a sender by name',
    'verify: sentry\nsecret: a7c1e4f82b9d3056\nevents: [issue.created]',
    'WH226',
    'issue.created',
    '{ field: action, equals: created }',
  ],
  [
    'an event of the sender by name',
    'verify: stripe\nsecret: a7c1e4f82b9d3056\nevents: [invoice.pid]',
    'WH226',
    'invoice.pid',
    'invoice.paid',
  ],
  [
    'two senders',
    'verify: [github, gitlab]\nsecrets: [a7c1e4f82b9d3056, b7c1e4f82b9d3057]\nevents: [push, issue, deploy]',
    'WH226',
    'deploy',
    'pull_request',
  ],
]

const others: readonly Slip[] = [
  ['a short secret', 'secret: abc', 'WH301', 'abc', 'openssl'],
  ['a word', 'secret: changeme-please', 'WH301', 'changeme-please', 'openssl'],
  ['your secret', 'secret: <your-webhook-secret>', 'WH301', '<your-webhook-secret>', 'openssl'],
  ['a template', 'secret: "{secret_of_mine}"', 'WH301', '"{secret_of_mine}"', 'openssl'],
  ['one letter again and again', 'secret: aaaaaaaaaaaaaaaaaaaa', 'WH301', 'aaaaaaaaaaaaaaaaaaaa', 'openssl'],
  ['a variable', 'secret: $WEBHOOK_SECRET', 'WH301', '$WEBHOOK_SECRET', '${WEBHOOK_SECRET}'],
  ['a line end', `secret: "${strong}1\\n"`, 'WH306', `"${strong}1\\n"`, 'on one line'],
  ['a second secret', 'secrets: [a7c1e4f82b9d3056, abc]', 'WH301', 'abc', 'openssl'],
  ['the global secret', 'prompt: p', 'WH301', 'abc', 'openssl', { secret: 'abc' }],
  ['a key that the sender makes', 'prompt: p\nverify: stripe', 'WH323', 'stripe', 'the signing secret of the destination, whsec_'],
  ['a key of a sender by another name', 'prompt: p\nverify: whatsapp', 'WH323', 'whatsapp', 'the App secret'],
  ['a key that Linear makes', 'prompt: p\nverify: linear', 'WH323', 'linear', 'lin_wh_'],
  ['not connected', 'deliver: mattermost\nprompt: p', 'WH712', 'mattermost', 'MATTERMOST_TOKEN'],
  ['one of several', 'deliver: [log, { target: mattermost }]\nprompt: p', 'WH712', 'mattermost', 'MATTERMOST_TOKEN'],
  ['switched off', 'deliver: slack\nprompt: p', 'WH712', 'slack', 'enabled: true', { rest: '  slack: { enabled: false }\n' }],
  [
    'an address that the target refuses',
    'deliver: discord\nprompt: p',
    'WH712',
    'discord',
    'set platforms.discord.webhook_url to the address of a webhook',
    { env: { PATH: process.env.PATH ?? '', DISCORD_WEBHOOK_URL: 'https://discord.com/webhooks/123456789012345678/abc' } },
  ],
  [
    'a token with a word before it',
    'deliver: telegram\nprompt: p\ndeliver_extra: { chat_id: 1 }',
    'WH712',
    'telegram',
    'a token without "bot" before it, such as 123456:ABC-DEF',
    { env: { PATH: process.env.PATH ?? '', TELEGRAM_BOT_TOKEN: 'bot4711:abcdef' } },
  ],
  [
    'no program',
    'deliver: github_comment\nprompt: p\ndeliver_extra: { repo: a/b, pr_number: 1 }',
    'WH709',
    'github_comment',
    'install gh',
    { env: { PATH: '/nowhere' } },
  ],
  ['no chat', 'deliver: telegram\nprompt: p', 'WH713', 'telegram', 'home_channel'],
  [
    'a chat at a webhook',
    'deliver: discord\nprompt: p\ndeliver_extra: { chat_id: "123456789012345678" }',
    'WH713',
    'deliver_extra',
    'chat_id',
  ],
  ['chatid', 'deliver: slack\nprompt: p\ndeliver_extra: { chatid: C01234 }', 'WH706', 'chatid', 'chat_id'],
  ['a setting for the log', 'prompt: p\ndeliver_extra: { chat_id: C01234 }', 'WH706', 'chat_id', 'no settings'],
  ['no interpreter', 'prompt: p\nscript: a.py', 'WH603', 'a.py', 'install python3', { env: { PATH: '/nowhere' } }],
  [
    'a placeholder with a slip',
    'verify: github\nevents: [pull_request]\nprompt: "{pull_request.titel} of {number}"',
    'WH501',
    '{pull_request.titel}',
    'pull_request.title',
  ],
  [
    'several events in one request',
    'verify: line\nsecret: a7c1e4f82b9d3056a7c1e4f82b9d3056\nsplit: false\nevents: [message]\nprompt: "{events}"',
    'WH322',
    '[message]',
    '{events.0.…}',
  ],
  [
    'the list of a request that is split',
    'verify: line\nsecret: a7c1e4f82b9d3056a7c1e4f82b9d3056\nevents: [message]\nprompt: "{events.0.message.text}"',
    'WH322',
    '"{events.0.message.text}"',
    'batch.events.0.message.text',
  ],
  ['several events that are the payload', 'verify: auth0\nsplit: false\nevents: [s]\nprompt: p', 'WH322', '[s]', '{__raw__}'],
  ['no agent', 'prompt: p', 'WH227', 'no-such-agent', 'whole path', { rest: 'agent: { runner: command, command: [no-such-agent] }\n' }],
  ['an option', 'prompt: p', 'WH229', '"{prompt}x"', 'write "--"', { rest: 'agent: { runner: command, command: [bash, "{prompt}x"] }\n' }],
  ['a limit for no script', 'prompt: p\nscript_timeout_seconds: 3', 'WH210', 'script_timeout_seconds', 'script'],
  ['a mode for one target', 'prompt: p\ndeliver: log\ndeliver_mode: all', 'WH210', 'deliver_mode', 'list'],
  [
    'a place for waiting requests, and nobody waits',
    'prompt: p\nrespond: { max_waiting: 3 }',
    'WH210',
    'max_waiting',
    'respond.wait_seconds',
  ],
  ['a mode for a list of one target', 'prompt: p\ndeliver: [log]\ndeliver_mode: first_success', 'WH210', 'deliver_mode', 'two or more'],
  ['a text for an answer that has no body', 'prompt: p\nrespond: { status: 204, body: hi }', 'WH210', 'body', 'status 200'],
  [
    'a text for the answer of an outcome that has no body',
    'prompt: p\nrespond: { outcomes: { ignored: { status: 204, body: hi } } }',
    'WH210',
    'body',
    'status 200',
  ],
  [
    'the body of the answer of an outcome',
    'prompt: p\nrespond: { outcomes: { ignored: { body: "{{title}}" } } }',
    'WH502',
    '{{title}}',
    '{title}',
  ],
  ['a wait for an answer that has no body', 'prompt: p\nrespond: { status: 204, wait_seconds: 2 }', 'WH210', 'wait_seconds', 'status 200'],
  [
    'a wait, and no request may wait',
    'prompt: p\nrespond: { wait_seconds: 2 }',
    'WH210',
    'wait_seconds',
    'raise max_waiting_requests',
    { rest: 'gateway: { max_waiting_requests: 0 }\n' },
  ],
  [
    'more waiting requests than the gateway has places for',
    'prompt: p\nrespond: { wait_seconds: 2, max_waiting: 50 }',
    'WH210',
    'max_waiting',
    'at most 5',
    { rest: 'gateway: { max_waiting_requests: 5 }\n' },
  ],
  ['as many runs at once as the gateway has', 'prompt: p\nconcurrency: { limit: 4 }', 'WH210', 'limit', 'less than 4'],
  [
    'more events than the adapter lets in',
    'prompt: p\nrate_limit: { per_minute: 200 }',
    'WH210',
    'per_minute',
    'rate_limit of the adapter',
  ],
  ['what failed expressions do, and no expression', 'prompt: "{x}"\nexpression_error: refuse', 'WH210', 'expression_error', 'remove it'],
  [
    'the zone of an interval',
    'prompt: p',
    'WH210',
    'timezone',
    'time of the day',
    { rest: 'jobs: { j: { schedule: every 5m, timezone: Europe/Berlin, prompt: p } }\n' },
  ],
  [
    'the thread of a chat that has none',
    'prompt: p\ndeliver: ntfy\ndeliver_extra: { chat_id: a, thread_id: b }',
    'WH706',
    'thread_id',
    'known here: chat_id',
    { env: { NTFY_TOPIC: 'a' } },
  ],
  ['a job that may run already, and no job', 'prompt: p\ncron_job_running: skip', 'WH210', 'cron_job_running', 'cron_job'],
  ['a mismatch with no schema', 'prompt: p\npayload_mismatch: warn', 'WH210', 'payload_mismatch', 'payload_schema'],
  [
    'a wait for targets, and no breaker',
    'prompt: p\nwhen_down: run',
    'WH210',
    'when_down',
    'targets.breaker.enabled: true',
    { rest: 'targets: { breaker: { enabled: false } }\n' },
  ],
  [
    'a trace of the sender, and no telemetry',
    'prompt: p\ntrust_trace_context: true',
    'WH210',
    'trust_trace_context',
    'telemetry.otlp.endpoint',
  ],
  [
    'the model of a program',
    'prompt: p\nagent: { model: big }',
    'WH210',
    'model',
    'openai or anthropic',
    { rest: 'agent: { runner: command, command: [bash] }\n' },
  ],
  [
    'the history of a program',
    'prompt: p\nsession: { key: x, history: 3 }',
    'WH210',
    'history',
    'openai or anthropic',
    { rest: 'agent: { runner: command, command: [bash] }\n' },
  ],
  [
    'the toolsets of a program',
    'prompt: p\ntoolsets: [clarify]',
    'WH210',
    'toolsets',
    'openai or anthropic',
    { rest: 'agent: { runner: command, command: [bash] }\n' },
  ],
  [
    'the system prompt of a program',
    'prompt: p',
    'WH210',
    'system',
    'openai or anthropic',
    { rest: 'agent: { runner: command, command: [bash], system: s }\n' },
  ],
  ['a model that is never asked', 'prompt: p', 'WH210', 'model', 'openai or anthropic', { rest: 'agent: { model: big }\n' }],
  ['a copy for the session of no chat', 'prompt: p\nmirror_to_session: true', 'WH210', 'mirror_to_session', 'deliver to a chat'],
  ['the token of another sender', 'prompt: p\nverify: github\nverify_token: Vq3xT0bKe7mN', 'WH210', 'verify_token', 'meta'],
  ['the questions of no sender', 'prompt: p\nconfirm_subscriptions: true', 'WH210', 'confirm_subscriptions', 'aws_sns'],
  [
    'the project of another sender log',
    'prompt: p\nverify: github\ncatch_up: { from: github, repo: a/b, hook: 1, project: a/b }',
    'WH210',
    'project',
    'repo',
  ],
  [
    'the server of gh',
    'prompt: p\nverify: github\ncatch_up: { from: github, repo: a/b, hook: 1, api_base: "https://x" }',
    'WH210',
    'api_base',
    'repo',
  ],
  ['a console that is not on', 'prompt: p', 'WH210', 'port', 'console.enabled', { rest: 'console: { port: 5 }\n' }],
  ['metrics that are not on', 'prompt: p', 'WH210', 'token', 'metrics.enabled', { rest: 'metrics: { token: "${A:-0123456789abcdef}" }\n' }],
  [
    'telemetry without a receiver',
    'prompt: p',
    'WH210',
    'telemetry',
    'telemetry.otlp.endpoint',
    { rest: 'telemetry: { content: true }\n' },
  ],
  ['the address of another store', 'prompt: p', 'WH210', 'schema', 'storage.kind: postgres', { rest: 'storage: { schema: a }\n' }],
  [
    'a limit of alerts that are not told',
    'prompt: p',
    'WH210',
    'backlog_seconds',
    'backlog_age',
    { rest: 'alerts: [{ deliver: log, on: [dead_run], backlog_seconds: 3 }]\n' },
  ],
  [
    'the zone of no calendar',
    'prompt: p',
    'WH210',
    'timezone',
    'during',
    { rest: 'alerts: [{ deliver: log, silence: [{ route: r, after_hours: 1, timezone: UTC }] }]\n' },
  ],
  [
    'the folder of a server elsewhere',
    'prompt: p',
    'WH210',
    'folder',
    'command',
    {
      rest: 'agent: { runner: openai, model: m, api_key: "${A:-b}" }\ntoolsets: { a: { url: "http://127.0.0.1/", allow: [b], folder: /c } }\n',
    },
  ],
  ['a file larger than any body', 'attachments: { max_bytes: 2000000 }\nprompt: p', 'WH210', 'max_bytes', 'max_body_bytes'],
  ['files beside a split', 'split: rows\nattachments: {}\nprompt: p', 'WH210', 'attachments', 'remove it'],
  ['files beside redacted fields', 'attachments: {}\nredact: [from]\nprompt: p', 'WH509', 'attachments', 'attachments'],
  ['nothing to keep', 'verify: gitlab\nkeep_refused: signature\nprompt: p', 'WH210', 'keep_refused', 'redelivery'],
  [
    'nothing is kept',
    'verify: github\nkeep_refused: signature\nprompt: p',
    'WH210',
    'keep_refused',
    'payloads',
    { rest: 'storage: { retention: { payloads: false } }\n' },
  ],
  ['a skill with a slip', 'prompt: p\nskills: [code-review, code-reviw]', 'WH701', 'code-reviw', '"code-review"'],
  ['a skill that is not there', 'prompt: p\nskills: [deploy]', 'WH701', 'deploy', 'skills/deploy/SKILL.md'],
  ['a skill somewhere else', 'prompt: p\nskills: [../scripts]', 'WH701', '../scripts', 'take it out'],
  ['a skill without a head', 'prompt: p\nskills: [wrong]', 'WH701', 'wrong', 'skills/wrong/SKILL.md'],
  [
    'a skill of a job',
    'prompt: p',
    'WH701',
    'deploy',
    'SKILL.md',
    { rest: 'jobs: { j: { schedule: "@daily", prompt: p, skills: [deploy] } }\n' },
  ],
  [
    'a job that cannot send',
    'prompt: p',
    'WH712',
    'mattermost',
    'MATTERMOST_TOKEN',
    { rest: 'jobs: { j: { schedule: "@daily", prompt: p, deliver: mattermost } }\n' },
  ],
]

for (const [name, slips] of Object.entries({ templates, filters, others })) {
  t.test(`${name}: each slip is found, alone, at its place, with a way out`, async (t) => {
    for (const [title, route, code, at, way, around = {}] of slips) {
      const config = configOf(route, around)
      const found = await run(t, config, around.env)
      const first = found.find((each) => each.code === code && (each.place ? textAt(config, each.place) : '') === at)
      t.ok(first, `${title}: ${code} at ${at}, found ${found.map((each) => `${each.code} ${each.place && textAt(config, each.place)}`)}`)
      t.ok(
        [first?.help, ...(first?.suggest ?? [])].some((text) => text?.includes(way)),
        `${title}: ${first?.help}`,
      )
      t.ok(
        found.every((each) => each.code === code),
        `${title}: ${found.map((each) => each.code)}`,
      )
      t.notOk(
        found.some(({ stopsStart }) => stopsStart),
        `${title}: it starts`,
      )
    }
  })
}

const silent: readonly (readonly [title: string, route: string, around?: Around])[] = [
  ['a key that the sender makes, in the route', `prompt: p\nverify: stripe\nsecret: ${strong}`],
  ['a key that the sender makes, of a route that is off', 'prompt: p\nverify: stripe\nenabled: false'],
  ['a key that is chosen', 'prompt: p\nverify: bitbucket'],
  ['JSON', 'prompt: |\n  Answer as {"a": {"b": 1}, "c": [{}]} or {"a":{}} or {\n    "x": {title}\n  }'],
  ['code', 'prompt: |\n  Run `echo ${HOME} ${x}` and:\n  ```js\n  import { readFile } from "fs"\n  const f = () => { return ${a} }\n  ```'],
  ['code in a line', 'prompt: "import { readFile } from \'node:fs\' and if (a) { b }"'],
  ['a shell variable', 'prompt: "it needs ${GITHUB_TOKEN} to be set"'],
  ['what is ours', `prompt: 'PR #{number} {list.0.id} {__raw__} {event_type} {= $uppercase(title) } {= {"a": {"b": 1}}.a.b }'`],
  [
    'ordinary comments',
    'prompt: p # says nothing\ndescription: d # TODO ask #12\nverify: github #ours\nenabled: true #on\ndeliver: slack #ours\ndeliver_extra: # {a}\n  chat_id: C012345 ### ---',
  ],
  ['signs in quotes and blocks', 'prompt: "a" #b\ndescription: |\n  a #{b}\n'],
  ['a skill that is there', 'prompt: p\nskills: [code-review]'],
  ['sets and formulas', 'prompt: "x_{i} and {1, 2} and {a, b} and {} and a smile :}"'],
  ['a payload in the payload', 'prompt: "{payload.x} {event}"\nscript: a.py'],
  ['a sender that wraps', 'prompt: "{payload.x}"\nevents: [deployment.created]'],
  ['a secret with braces', `prompt: p\nsecret: "x{${strong}}"`],
  ['an own event', 'prompt: p\nevents: [created, deployed, alert, order_created, deploy, tests, pushed, push, "Push Hook", invoice.paid]'],
  [
    'what samples do not tell of a sender',
    'prompt: p\nverify: github\nevents: [pull_request]\nfilters: [{ field: pull_request.auto_merge.merge_method, equals: squash }, { field: pull_request.labels.3.name, equals: bug }, { field: headers.x-own, equals: a }]',
  ],
  [
    'placeholders that samples do not have',
    'prompt: "{pull_request.milestone.title} {delivery_id} {pull_request.labels.4.name} {anything}"\nverify: github\nevents: [pull_request]',
  ],
  ['what a script makes', 'prompt: "{pull_request.titel}"\nscript: a.py\nverify: github\nevents: [pull_request]'],
  [
    'an event without a sample',
    'prompt: p\nverify: github\nevents: [gollum]\nfilters: [{ field: pages, exists: true }, { field: zen, equals: a }]',
  ],
  ['a sender without samples', 'prompt: p\nverify: v2\nfilters: [{ field: draft, equals: "false" }]'],
  ['all that GitLab has', 'prompt: p\nverify: gitlab\nevents: [push, "Merge Request Hook", note, "Confidential Issue Hook", build]'],
  [
    'a sender whose events are not all known',
    'prompt: p\nverify: stripe\nsecret: a7c1e4f82b9d3056\nevents: [customer.tax_id.created, issues, pull_request.opened]',
  ],
  ['a scheme that anybody may sign with', 'prompt: p\nverify: v2\nevents: [pull_request.opened, issue, rollout]'],
  ['words that are near no long name', 'prompt: p\nevents: [pinged, forked, stars.synced]'],
  ['two fields', 'prompt: p\nfilters: [{ field: a, equals: x }, { field: b, equals: y }]'],
  ['the wrapped and the bare payload', 'prompt: p\nfilters: [{ field: a, equals: x }, { field: payload.a, equals: y }]'],
  ['a choice', 'prompt: p\nfilters: [{ any: [{ field: a, equals: x }, { field: a, equals: y }] }, { field: a, not_equals: z }]'],
  [
    'beginnings and ends that agree',
    'prompt: p\nfilters: [{ field: a, starts_with: ma }, { field: a, starts_with: main }, { field: a, ends_with: n }, { field: a, ends_with: in }]',
  ],
  [
    'ranges that agree',
    'prompt: p\nfilters: [{ field: a, gte: 5 }, { field: a, lte: 5 }, { field: b, gt: "2026-01-01" }, { field: b, lt: { length: 40 } }, { field: b, gt: { length: 3 } }]',
  ],
  [
    'items of a list',
    'prompt: p\nfilters: [{ field: a, any_item: { equals: x } }, { field: a, any_item: { equals: y } }, { field: a, every_item: { not_equals: z } }, { not: { field: a, every_item: { equals: x } } }, { any: [{ field: b, every_item: { all: [] } }, { field: b, missing: true }] }]',
  ],
  [
    'keys in single quotes',
    `prompt: "{labels.'app.io/name'}"\nfilters: [{ field: "labels.'app.io/name'.x", exists: true }, { field: c, equals_field: "'a''b.c'" }]\nredact: ["users.*.'e.mail'"]\nconcurrency: { limit: 1, key: "labels.'app.io/name'" }`,
  ],
  ['patterns of a list', 'prompt: p\nfilters: [{ field: a, matches_glob: "*.md" }, { field: a, matches_glob: "src/**" }]'],
  ['exists beside a value', 'prompt: p\nfilters: [{ field: a, exists: true }, { field: a, equals: x }]'],
  ['null is there', 'prompt: p\nfilters: [{ field: a, exists: true }, { field: a, equals: null }]'],
  [
    'starts that agree',
    'prompt: p\nfilters: [{ field: a, regex: "^ma?x" }, { field: a, regex: "^main|^dev" }, { field: a, regex: "^main" }]',
  ],
  [
    'an event among those listed',
    'prompt: p\nevents: [push, merge_request]\nfilters: [{ field: event, in: [push, "Merge Request Hook"] }]',
  ],
  ['an event that is kept out', 'prompt: p\nevents: [push]\nfilters: [{ not: { field: event, equals: issues } }]'],
  ['a quoted yes', 'prompt: p\nfilters: [{ field: a, equals: "yes" }, { field: b, equals: true }, { field: c, equals: "0755" }]'],
  ['a list of lists', 'prompt: p\nfilters: [{ field: a, contains: [[1], [2]] }, { field: b, equals: [] }]'],
  ['a price and a path', 'prompt: p\nfilters: [{ field: a, contains: "$" }, { field: b, equals: /api/v1/ }, { field: c, contains: "**" }]'],
  ['connected', 'prompt: p\ndeliver: [slack, discord, log]\ndeliver_extra: {}', { rest: '  slack: { home_channel: C012345 }\n' }],
  [
    'settings of two targets',
    'prompt: p\ndeliver: [slack, { target: ntfy, deliver_extra: { chat_id: a, title: b, x-note: c } }]\ndeliver_extra: { chat_id: C012345, thread_id: "1712345678.000100" }',
    { env: { NTFY_TOPIC: 'a' } },
  ],
  ['files within what a body may have', 'prompt: p\nattachments: { max_bytes: 1048576 }'],
  ['refused posts that can be kept', 'prompt: p\nverify: github\nkeep_refused: signature'],
  ['a known script', 'prompt: p\nscript: a.sh\nscript_timeout_seconds: 3'],
  ['an agent by its path', 'prompt: p', { rest: 'agent: { runner: command, command: [/opt/agent] }\n' }],
]

t.test('what is meant as it stands is not talked about', async (t) => {
  for (const [title, route, around = {}] of silent) {
    const found = await run(t, configOf(route, around), around.env)
    t.same(
      found.map(({ code, message }) => `${code} ${message}`),
      [],
      title,
    )
  }
})

t.test('what samples show of a sender is known where nothing else is said to come from it', (t) => {
  for (const known of builtInSamples()) {
    const scheme = schemes.find(({ name }) => known.name.startsWith(`${name}/`))
    const { event } = readSample(known)
    if (scheme?.events?.isWhole && event !== undefined) t.ok(scheme.events.names.includes(event), `${known.name}: ${event}`)
  }
  t.end()
})

t.test('an action among the events becomes a filter, in whatever style the route is written', async (t) => {
  const mended = async (route: string): Promise<string> => {
    const config = configOf(route, {})
    const found = await run(t, config)
    const { files } = fixTexts(found, new Map([[found[0]?.place?.file ?? '', config]]))
    const after = files[0]?.after ?? ''
    t.same(await run(t, after), [], `nothing is left to say of\n${after}`)
    return after.slice(after.indexOf('verify'))
  }
  const block = (events: string): string => `verify: github\n${events}\nprompt: p`
  t.match(
    await mended(block('events: [pull_request.opened, "pull_request.closed"] # two')),
    'events: [pull_request]\n        filters:\n          - { field: action, in: [opened, closed] } # two\n        prompt: p',
  )
  t.match(
    await mended(block('events:\n- issues.opened')),
    'events:\n        - issues\n        filters:\n          - { field: action, equals: opened }\n',
  )
  t.match(await mended('{ verify: github, events: [issues.opened], prompt: p }'), '"filters": [{"field":"action","equals":"opened"}]')
  const aliased = await run(t, configOf('x-a: &a [issues.opened]\nx-b: &b [issue]\nverify: github\nevents: *a', {}))
  t.match(aliased, [{ code: 'WH226', fix: undefined }], 'what an alias stands for is written elsewhere')
})

t.test('what stands beside a mistake of shape, or beside a key that stands twice, is found all the same', async (t) => {
  const config = configOf(
    'secret: abc\nprompt: "{{a}}"\nevents: [push, 1, pull_requests]\nfilters: [{ field: 1, exists: true }, { field: a, regex: "(" }]\nevnts: 1\nprompt: "{{b}}"',
    {},
  )
  const found = await run(t, config)
  t.same(found.map(({ code }) => code).sort(), ['WH002', 'WH101', 'WH102', 'WH102', 'WH226', 'WH301', 'WH401', 'WH502'])
  t.ok(
    found.every(({ code, route }) => code === 'WH002' || route === 'r'),
    'each names its route',
  )
  t.match(found.find(({ code }) => code === 'WH226')?.message, /^events\[2\]:/)
})

t.test('what follows from another finding is not said', async (t) => {
  const codes = async (route: string, rest = ''): Promise<string[]> => (await run(t, configOf(route, { rest }))).map(({ code }) => code)
  t.same(await codes('deliver: 5\ndeliver_only: true\nprompt: p'), ['WH102'])
  t.same(await codes('secret: "${NOPE}"\nprompt: p'), ['WH305'])
  t.same(await codes('prompt: p\ndeliver: mattermost', '  mattermost: { tokn: x }\n'), ['WH706'])
  t.same(await codes('prompt: p\ndeliver: telegram\ndeliver_extra: { chatid: 1 }'), ['WH706'])
  t.same(await codes('prompt: 5\ndeliver: slack\ndeliver_extra: { chat_id: C012345 }'), ['WH102'])
})

t.test('two routes with one secret: said at the second, with the place of the first; one reference is meant', async (t) => {
  const config = (a: string, b: string): string =>
    `platforms:\n  webhook:\n    enabled: true\n    routes:\n      a: { secret: ${a} }\n      b: { secret: ${b} }\n`
  const found = await run(t, config(strong, strong))
  t.match(found, [{ code: 'WH302', route: 'b', place: { line: 6 }, related: [{ place: { line: 5 } }] }])
  t.same(await run(t, config('"${S}"', '"${S}"'), { S: strong }), [])
  t.match(await run(t, config('"${S}"', strong), { S: strong }), [{ code: 'WH302' }])
})

t.test('demands that exclude each other only together are all named, and no other', async (t) => {
  const conditions = ['in: [x, y]', 'not_equals: x', 'regex: "."', 'not_equals: y', 'exists: true']
  const filters = conditions.map((condition) => `  - { field: a, ${condition} }`).join('\n')
  const [found] = await run(t, configOf(`prompt: p\nfilters:\n${filters}`, {}))
  t.match(found, {
    code: 'WH403',
    message: 'no event can pass the filters: it wants a in ["x","y"], and a not_equals "x", and a not_equals "y"',
    related: [{ message: 'this wants a in ["x","y"]' }, { message: 'this wants a not_equals "x"' }],
  })
  t.equal(found?.related?.length, 2)
})

t.test('routes whose sender sends nothing again: said once, where nobody wrote the limit', async (t) => {
  const route = (name: string, verify: string): string => `      ${name}: { verify: ${verify}, secret: ${strong}${name} }\n`
  const config = (more = ''): string =>
    `platforms:\n  webhook:\n    enabled: true\n${more}    routes:\n${route('a', 'gitlab')}${route('b', 'github')}${route('c', 'github')}`
  t.match(await run(t, config()), [{ code: 'WH321', severity: 'info', route: 'b', place: { line: 6 }, message: /30 posts.*"b", "c"$/ }])
  t.same(await run(t, config('    rate_limit: 30\n')), [])
})

t.test('a direct delivery whose sender sends nothing again: said, unless it is kept or asked for again', async (t) => {
  const route = (verify: string, more = ''): string =>
    configOf(`verify: ${verify}\nprompt: "{ref}"\ndeliver: telegram\ndeliver_only: true\n${more}`, {})
  const codes = async (config: string): Promise<readonly string[]> => (await run(t, config)).map(({ code }) => code)
  const [found] = (await run(t, route('github'))).filter(({ code }) => code === 'WH335')
  t.match(found, { severity: 'warning', message: /GitHub does not repeat/, help: /retry: \{\}/ })
  t.equal(found?.place && textAt(route('github'), found.place), 'true')
  for (const kept of [route('github', 'retry: {}'), route('github', 'catch_up: { repo: a/b, hook: 1 }'), route('stripe')])
    t.notOk((await codes(kept)).includes('WH335'), kept)
})

t.test('programs and plug-ins that others could replace are said, with the path that is open', async (t) => {
  const dir = newFolder(t, { bin: { agent: '#!/bin/sh\n', vault: '', 'mcp.py': '', 'own.mjs': 'export default {}\n' } })
  for (const name of ['agent', 'vault', 'mcp.py', 'own.mjs']) chmodSync(join(dir, 'bin', name), 0o755)
  chmodSync(join(dir, 'bin'), 0o755)
  const config = `agent:
  runner: command
  command: [./bin/agent]
agents:
  other: { runner: command, command: [agent] }
toolsets:
  notes: { command: [python3, ${dir}/bin/mcp.py], allow: [find] }
secrets:
  providers:
    v: { command: [${dir}/bin/vault, "{id}"] }
plugins: [./bin/own.mjs]
`
  writeFileSync(join(dir, 'config.yaml'), config, { mode: 0o600 })
  const found = async () =>
    (
      await validate({ dataDir: dir, env: { PATH: `${join(dir, 'bin')}:/usr/bin:/bin` }, self: 'headgate' }, { paths: [], asked: false })
    ).diagnostics
      .filter(({ code }) => code === 'WH337')
      .map(({ pointer, message }) => `${pointer} ${message.replaceAll(dir, '')}`)
  t.same(await found(), [])
  for (const name of ['agent', 'vault', 'mcp.py', 'own.mjs']) chmodSync(join(dir, 'bin', name), 0o757)
  t.same((await found()).toSorted(), [
    '/agent/command/0 others may replace the program ./bin/agent: /bin/agent is open to them',
    '/agents/other/command/0 others may replace the program agent: /bin/agent is open to them',
    '/plugins/0 others may replace the program ./bin/own.mjs: /bin/own.mjs is open to them',
    '/secrets/providers/v/command/0 others may replace the program /bin/vault: /bin/vault is open to them',
    '/toolsets/notes/command/1 others may replace the program /bin/mcp.py: /bin/mcp.py is open to them',
  ])
  for (const name of ['agent', 'vault', 'mcp.py', 'own.mjs']) chmodSync(join(dir, 'bin', name), 0o755)
  chmodSync(join(dir, 'bin'), 0o777)
  t.equal((await found()).length, 5, 'a folder that is open lets others replace what is in it')
  chmodSync(join(dir, 'bin'), 0o1777)
  t.same(await found(), [], 'but not with the sticky bit')
})

t.test('secrets in clear text: where others read the file, or git keeps it', async (t) => {
  const literal = configOf('prompt: p\nsecret: a7c1e4f82b9d3056', {})
  const at = async (config: string, mode: number, prepare: (dir: string) => void = () => {}): Promise<readonly Diagnostic[]> => {
    const dir = newFolder(t, { 'config.yaml': config })
    chmodSync(join(dir, 'config.yaml'), mode)
    prepare(dir)
    return (await validate({ dataDir: dir, env: { S: strong, CREDENTIALS_DIRECTORY: dir }, self: 'headgate' }, { paths: [], asked: false }))
      .diagnostics
  }
  t.match(await at(literal, 0o644), [{ code: 'WH303', place: { line: 4 }, message: /^2 secrets .*0644/, help: /chmod 600/ }])
  t.same(await at(literal, 0o600), [])
  t.same(await at(literal, 0o644, (dir) => chmodSync(dir, 0o700)), [], 'its folder is closed')
  t.same(await at('platforms: { webhook: { enabled: true, secret: "${S}" } }\n', 0o644), [])
  const secretsOf = async (config: string): Promise<readonly Diagnostic[]> =>
    (await at(config, 0o644)).filter(({ code }) => code === 'WH303')
  const settings = [
    'platforms: { telegram: { token: "4711:abcdef" } }',
    'platforms: { slack: { webhook_url: "https://hooks.example.com/services/T0/B0/x" } }',
    'platforms: { email: { user: ada, password: correct-horse } }',
    'platforms: { matrix: { homeserver: "https://ada:correct-horse@matrix.example.com", access_token: "${S}" } }',
    'storage: { kind: postgres, url: "postgres://ada:correct-horse@127.0.0.1/h" }',
    'toolsets: { docs: { url: "https://docs.example.com/mcp", allow: [find], headers: { Authorization: Bearer abcdef, Accept: text/plain } } }',
  ]
  for (const setting of settings) t.match(await secretsOf(`${setting}\n`), [{ place: { line: 1 }, message: /^a secret stands/ }], setting)
  const publicKey = `verify: { algorithm: ed25519, signature: { header: X-S } }\npublic_key: d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a`
  t.same(await secretsOf(configOf(publicKey, { secret: '${S}' })), [], 'a public key is no secret')
  const named = (mode: number) => (dir: string) => {
    writeFileSync(join(dir, 'key'), strong)
    chmodSync(join(dir, 'key'), mode)
  }
  const credential = 'platforms:\n  webhook:\n    enabled: true\n    secret: credential:key\n'
  const open = { code: 'WH303', place: { line: 4, column: 13 }, message: /the file of credential:key.*0444/, help: /^chmod 400 \S+key,/ }
  t.match(await at(credential, 0o600, named(0o444)), [open])
  t.same(await at(credential, 0o600, named(0o400)), [])
  t.match(await at(credential.replace('credential:key', '"file:${CREDENTIALS_DIRECTORY}/key"'), 0o600, named(0o444)), [{ code: 'WH303' }])
  const index = (name: string) => (dir: string) => {
    mkdirSync(join(dir, '.git'))
    const flags = Buffer.alloc(2)
    flags.writeUInt16BE(name.length)
    writeFileSync(join(dir, '.git', 'index'), Buffer.concat([Buffer.from('DIRC'), Buffer.alloc(60), flags, Buffer.from(`${name}\0\0`)]))
  }
  t.match(await at(literal, 0o600, index('config.yaml')), [{ code: 'WH303', message: /git keeps/ }])
  t.same(await at(literal, 0o600, index('other/config.yaml')), [], 'another file of that name')
})

t.test('plain HTTP beyond this machine is noted', async (t) => {
  const config = (host: string): string => `platforms:\n  webhook:\n    enabled: true\n    secret: ${strong}\n    ${host}\n`
  t.match(await run(t, config('host: 0.0.0.0')), [{ code: 'WH308', severity: 'info', place: { line: 5 } }])
  t.same(await run(t, config('extra: { host: 0.0.0.0, trust_proxy: [10.0.0.1] }')), [])
})

t.test('a fix changes the very text that is meant', async (t) => {
  const cases: readonly (readonly [route: string, fixed: string, safe: boolean])[] = [
    ['prompt: "a {{title}} b"', 'prompt: "a {title} b"', true],
    ['prompt: |\n  a\n  {list[0]} b', 'prompt: |\n  a\n  {list.0} b', true],
    ["prompt: 'new {event}'", "prompt: 'new {event_type}'", false],
    // A sender of one's own may well name its types so.
    ['prompt: p\nevents: [pull_requests]', 'prompt: p\nevents: [pull_request]', false],
    ['prompt: p\nverify: github\nevents: [pull_requests]', 'prompt: p\nverify: github\nevents: [pull_request]', true],
    ['prompt: p\nfilters: [{ field: headers.X-A, equals: 5 }]', 'prompt: p\nfilters: [{ field: headers.X-A, equals: "5" }]', true],
    [
      'prompt: p\ndeliver: slack\ndeliver_extra: { chatid: C012345 }',
      'prompt: p\ndeliver: slack\ndeliver_extra: { chat_id: C012345 }',
      true,
    ],
    ['prompt: p\nsecret: $HOOK_SECRET', 'prompt: p\nsecret: ${HOOK_SECRET}', false],
  ]
  for (const [route, fixed, safe] of cases) {
    const config = configOf(route, {})
    const [{ fix } = {}] = await run(t, config)
    const lines = config.split('\n')
    for (const { place, text } of fix?.edits ?? []) {
      const line = lines[place.line - 1] ?? ''
      lines[place.line - 1] = line.slice(0, place.column - 1) + text + line.slice(place.endColumn - 1)
    }
    t.equal(lines.join('\n'), configOf(fixed, {}), route)
    t.equal(fix?.safe, safe, route)
  }
})

t.test('a path that no event has a value at stops the start, wherever it stands, and says which path serves', async (t) => {
  const field = (path: string): string => `filters: [{ not: { field: ${JSON.stringify(path)}, contains: x } }]`
  const key = (of: string, path: string): string => `${of}: ${path}`
  const cases: readonly (readonly [route: string, at: string, way: string, isSame: boolean])[] = [
    [field('commits[0].message'), '"commits[0].message"', 'commits.0.message', true],
    [field('commits.[0].message'), '"commits.[0].message"', 'commits.0.message', true],
    [field('$.ref'), '"$.ref"', 'write ref', true],
    [field('.ref'), '".ref"', 'write ref', true],
    [field('{ref}'), '"{ref}"', 'write ref', true],
    [field('${{ ref }}'), '"${{ ref }}"', 'write ref', true],
    [field('ref '), '"ref "', 'write ref', true],
    [field("a['b'].c"), `"a['b'].c"`, 'write a.b.c', true],
    [field('a?.b'), '"a?.b"', 'write a.b', true],
    [field('commits.*.message'), '"commits.*.message"', 'in payload.commits.message', false],
    [field('payload.commits[*].message'), '"payload.commits[*].message"', 'in payload.commits.message', false],
    [field('commits.#.message'), '"commits.#.message"', 'in payload.commits.message', false],
    [field('commits..message'), '"commits..message"', 'jsonata', false],
    [field('commits[-1].id'), '"commits[-1].id"', 'payload.commits[-1].id', false],
    [field('labels.`app.kubernetes.io/name`'), '"labels.`app.kubernetes.io/name`"', "write labels.'app.kubernetes.io/name'", true],
    [field("labels['app.io/name']"), `"labels['app.io/name']"`, "write labels.'app.io/name'", true],
    [field('labels.app\\.io'), '"labels.app\\\\.io"', "write labels.'app.io'", true],
    [field("labels.'app.io"), `"labels.'app.io"`, "a.'b.c'.d", false],
    [field('title ?? x'), '"title ?? x"', 'write title', false],
    [field('$json.body.ref'), '"$json.body.ref"', 'write ref', false],
    [key('coalesce', '{ key: "$.number" }'), '"$.number"', 'write number', true],
    [key('concurrency', '{ limit: 1, key: "a[0].b" }'), '"a[0].b"', 'write a.0.b', true],
    [key('rate_limit', '{ per_minute: 9, key: ".user.id" }'), '".user.id"', 'write user.id', true],
    [key('session', '{ key: "{chat.*.id}" }'), '"{chat.*.id}"', '{= ', false],
    [key('split', '{ items: "data.items", id: ["$.id"] }'), '"$.id"', 'write id', true],
    [key('redact', '["users[0].email"]'), '"users[0].email"', 'write users.0.email', true],
  ]
  for (const [route, at, way, isSame] of cases) {
    const config = configOf(`prompt: p\n${route}`, {})
    const [found, ...others] = (await run(t, config)).filter(({ code }) => code !== 'WH502')
    t.match(found, { code: 'WH340', stopsStart: true })
    t.equal(found?.place && textAt(config, found.place), at)
    t.ok(found?.help?.includes(way), `${route}: ${found?.help}`)
    t.equal(found?.fix?.safe ?? false, isSame, route)
    t.same(others, [], route)
  }
  for (const path of [
    'data.0.id',
    'headers.X-A[b]',
    'order.#text',
    'order.@id',
    '$schema',
    'event-data.user.name',
    'request.query.a[0]',
    'payload.body.x',
  ])
    t.same(await run(t, configOf(`prompt: p\n${field(path)}`, {})), [], path)
})

t.test('a fix that would change the meaning is none, unless samples prove it', async (t) => {
  const texts =
    '{{ $json.body.x }} {{ trigger.json.x }} {{ body.x }} {{ .Labels.x }} {{ steps.a.outputs.x }} {{ data.x }} {user[name]} {a.*.b}'
  const found = await run(t, configOf(`prompt: ${JSON.stringify(texts)}`, {}))
  t.equal(found.length, 8)
  t.notOk(found.some(({ fix }) => fix?.safe))
  const known = '{{ event.action }} {{ .Number }} {{ $json.body.pull_request.title }} {body.action}'
  const route = (prompt: string): string => configOf(`verify: github\nevents: [pull_request]\nprompt: ${JSON.stringify(prompt)}`, {})
  const proven = await run(t, route(known))
  const edits = proven.filter(({ fix }) => fix?.safe).flatMap(({ fix }) => fix?.edits.map(({ text }) => text) ?? [])
  t.same(edits.sort(), ['{action}', '{action}', '{pull_request.title}'])
})

t.test('what is known of a sender is taken from events and headers too, and a star is no event', async (t) => {
  const found = async (route: string) =>
    (await run(t, configOf(`prompt: p\n${route}`, {}))).map(({ code, message, place }) => [code, message, place?.line])
  t.match(await found('events: ["*"]'), [['WH226', /no sender has an event "\*"/]])
  t.match(await found('events: [pull_request.opened]'), [['WH226', /"pull_request.opened"/]])
  t.match(await found('events: [pull_request]\nfilters: [{ field: pull_request.draft, equals: "false" }]'), [['WH414', /true or false/]])
  t.match(await found('events: [pull_request]\nfilters: [{ field: pull_request.labels, contains: bug }]'), [['WH414', /list of maps/]])
  const byHeader =
    'filters:\n  - { field: headers.X-GitHub-Event, equals: pull_request }\n  - { field: pull_request.draft, equals: "false" }'
  t.match(await found(byHeader), [['WH414', /true or false/]])
  t.match(await found('events: [push]\nfilters: [{ field: body.ref, equals: refs/heads/main }]'), [['WH341', /body\.ref/]])
  t.match(await found('events: [checkout.session.completed, invoice.paid]'), [['WH342', /events of Stripe/]])
  for (const route of ['events: [order.created]', 'events: [deploy]', 'events: [checkout.session.completed]\nverify: stripe'])
    t.notOk(
      (await found(route)).some(([code]) => code === 'WH226' || code === 'WH342'),
      route,
    )
})

t.test('a prompt that reads what a push lacks that deletes a branch is noted, unless a filter keeps such pushes out', async (t) => {
  const found = async (more: string) => {
    const config = configOf(`verify: github\nsecret: ${strong}x\nevents: [push]\nprompt: Review {head_commit.message}\n${more}`, {})
    return (await run(t, config)).filter(({ code }) => code === 'WH349').map(({ place, help }) => [place && textAt(config, place), help])
  }
  t.match(await found(''), [['{head_commit.message}', /deleted, equals: false/]])
  t.same(await found('filters: [{ field: deleted, equals: false }]'), [])
  t.same(await found('filters: [{ not: { field: head_commit, missing: true } }]'), [])
})

t.test('operands that cannot match, and expressions of another language, are found where they stand', async (t) => {
  const found = async (condition: string, event = 'push') => {
    const config = configOf(`prompt: p\nverify: github\nsecret: ${strong}x\nevents: [${event}]\nfilters: [${condition}]`, {})
    return (await run(t, config))
      .filter(({ code }) => code !== 'WH321')
      .map(({ code, place, help, message }) => [code, place && textAt(config, place), `${message} ${help}`])
  }
  const cases: readonly (readonly [condition: string, event: string, code: string, at: string, way: string])[] = [
    [
      '{ field: pull_request.head.repo.full_name, equals: "{repository.full_name}" }',
      'pull_request',
      'WH411',
      '"{repository.full_name}"',
      'equals_field: repository.full_name',
    ],
    ['{ field: ref, equals: main }', 'push', 'WH343', 'main', 'write refs/heads/main'],
    ['{ field: ref, regex: /^main$/i }', 'push', 'WH401', '/^main$/i', 'write (?i)^main$'],
    ['{ not: { field: ref, regex: a^b } }', 'push', 'WH401', 'a^b', 'put ^ before the signs'],
    ['{ field: ref, regex: "/^refs/" }', 'push', 'WH401', '"/^refs/"', 'write ^refs'],
    ['{ field: ref, regex: "refs/heads/release/*" }', 'push', 'WH411', '"refs/heads/release/*"', 'write ^refs/heads/release/'],
    ["{ field: ref, regex: 'release-\\\\d+' }", 'push', 'WH411', "'release-\\\\d+'", 'write release-\\d+'],
    ['{ field: pull_request.user.type, not_equals: bot }', 'pull_request', 'WH343', 'bot', 'write Bot'],
    ['{ field: pull_request.base.ref, equals: refs/heads/main }', 'pull_request', 'WH343', 'refs/heads/main', 'write main'],
    [
      '{ field: repository.full_name, equals: "https://github.com/octo/a.git" }',
      'push',
      'WH343',
      '"https://github.com/octo/a.git"',
      'write octo/a',
    ],
    [
      '{ field: pull_request.labels, contains: { name: bug } }',
      'pull_request',
      'WH414',
      '{ name: bug }',
      'in payload.pull_request.labels.name',
    ],
    ['{ field: head_commit.message, regex: "[skip ci]" }', 'push', 'WH411', '"[skip ci]"', 'write \\[skip ci\\]'],
    ['{ field: sender.login, regex: "^dependabot[bot]$" }', 'push', 'WH411', '"^dependabot[bot]$"', 'write ^dependabot\\[bot\\]$'],
    ['{ jsonata: "payload.ref =~ /x/" }', 'push', 'WH412', '"payload.ref =~ /x/"', 'write $contains(…, /pattern/) instead of =~'],
    ['{ jsonata: "not payload.deleted" }', 'push', 'WH412', '"not payload.deleted"', 'write $not(…) instead of not'],
    ['{ field: ref, in: refs/heads/main }', 'push', 'WH102', 'refs/heads/main', 'put it in brackets'],
    [
      '{ field: headers.X-GitHub-Event, equals: pull_request.opened }',
      'pull_request',
      'WH347',
      'pull_request.opened',
      'compare it with "pull_request", and ask for the action in another condition: { field: action, equals: opened }',
    ],
    ['{ not: { field: headers.x-github-event, in: [push, issues.closed] } }', 'push', 'WH347', 'issues.closed', 'equals: closed'],
    ["{ field: comment.body, regex: '(?m)^/review$' }", 'issue_comment', 'WH411', "'(?m)^/review$'", 'write (?m)^/review\\r?$'],
    ['{ jsonata: "ref = \'x\'" }', 'push', 'WH412', `"ref = 'x'"`, 'write payload.ref'],
    ['{ not: { jsonata: "body.skip = true" } }', 'push', 'WH412', '"body.skip = true"', 'write payload'],
    ['{ jsonata: "headers.X-GitHub-Event = \'push\'" }', 'push', 'WH412', `"headers.X-GitHub-Event = 'push'"`, 'headers.`x-github-event`'],
    [
      '{ jsonata: "headers.`X-GitHub-Event` = \'push\'" }',
      'push',
      'WH412',
      `"headers.\`X-GitHub-Event\` = 'push'"`,
      'headers.`x-github-event`',
    ],
    ['{ jsonata: "payload.a = 1 && payload.b = 2" }', 'push', 'WH412', '"payload.a = 1 && payload.b = 2"', 'write and instead of &&'],
    ["{ jsonata: \"payload['ref'] = 'x'\" }", 'push', 'WH412', `"payload['ref'] = 'x'"`, 'write .`ref`'],
    ['{ jsonata: "payload.ref == 1" }', 'push', 'WH412', '"payload.ref == 1"', 'write = instead of =='],
  ]
  for (const [condition, event, code, at, way] of cases) {
    const all = await found(condition, event)
    t.match(all, [[code, at]], condition)
    t.ok(all[0]?.[2]?.includes(way), `${condition}: ${all[0]?.[2]}`)
  }
  // A login may begin with any letter, and a set of letters may be meant.
  for (const fine of [
    '{ field: sender.login, not_equals: dependabot }',
    '{ field: ref, regex: "[abc]x" }',
    '{ field: ref, regex: "[a-z ]+x" }',
  ])
    t.same(await found(fine), [], fine)
  for (const fine of ['pull_request', 'some.thing'])
    t.same(await found(`{ field: headers.X-GitHub-Event, not_equals: ${fine} }`, 'pull_request'), [], fine)
  for (const fine of [
    '$count(payload.commits[message = "x"].author.(name & email)) > 0',
    '$map(payload.commits, function($c) { $c.message })[0] = $$.event',
    '($all := payload.commits; $all[0].id = headers.`x-github-event`) and request.query.a = "b && c"',
  ])
    t.same(await found(`{ jsonata: ${JSON.stringify(fine)} }`), [], fine)
})

t.test('a key that two repositories share is noted by the samples of the sender', async (t) => {
  const found = async (key: string, filters = '') =>
    (await run(t, configOf(`prompt: p\nverify: github\nsecret: ${strong}x\nevents: [pull_request]\n${key}${filters}`, {})))
      .filter(({ code }) => code !== 'WH321')
      .map(({ code, help }) => [code, help])
  t.match(await found('coalesce: { key: "{number}" }'), [['WH344', /write \{repository\.full_name\}#\{number\}/]])
  t.match(await found('concurrency: { limit: 1, key: pull_request.number }'), [['WH344', /#\{pull_request\.number\}/]])
  t.match(await found('supersede: { key: "{number}" }'), [['WH344', /write \{repository\.full_name\}#\{number\}/]])
  t.match(await found('cancel_on: { filters: { field: action, equals: closed }, key: number }'), [['WH344', /#\{number\}/]])
  t.match(await found('cooldown: { key: "{number}", minutes: 5 }'), [['WH344', /#\{number\}/]])
  t.match(await found('session: { key: "{action}/{pull_request.head.ref}" }'), [['WH344', /repository/]])
  for (const key of [
    'coalesce: { key: "{repository.full_name}#{number}" }',
    'coalesce: { key: "{pull_request.html_url}" }',
    'session: { key: sender.login }',
  ])
    t.same(await found(key), [], key)
  t.same(await found('coalesce: { key: "{number}" }', '\nfilters: [{ field: repository.name, equals: a }]'), [])
})

t.test('a key that all events of the route share is noted where one event acts on the work of the others', async (t) => {
  const found = async (key: string) =>
    (await run(t, configOf(`prompt: p\nsecret: ${strong}x\nevents: [push]\n${key}`, {})))
      .filter(({ code }) => code === 'WH352')
      .map(({ message }) => message)
  t.match(await found('supersede: { key: "{route}" }'), [/"\{route\}" is the same .*: each event ends the work of all others/])
  t.match(await found('cancel_on: { events: [push], key: "all of {route}" }'), [/one event ends the work of all others/])
  t.match(await found('duplicates: { key: "{route}" }'), [/each event is a duplicate of the first/])
  for (const key of ['supersede: { key: "{route}/{ref}" }', 'supersede: { key: route }', 'coalesce: { key: "{route}" }'])
    t.same(await found(key), [], key)
})

t.test('500 routes take less than a second beyond reading and compiling them', async (t) => {
  const routes = Array.from(
    { length: 500 },
    (_, i) =>
      `      r${i}: { secret: "${strong}${i}", events: [pull_request], prompt: "PR {number} {title}", deliver: slack, deliver_extra: { chat_id: C012345 }, filters: [{ field: action, in: [opened, closed] }, { any: [{ field: a, equals: ${i} }, { field: b, regex: "^x${i}" }] }] }\n`,
  )
  const config = `platforms:\n  webhook:\n    enabled: true\n    routes:\n${routes.join('')}`
  t.same(await run(t, config), [])
})

// Few fields, values and operators, so that they meet.
const field = fc.constantFrom('a', 'b', 'payload.a', 'event', 'headers.X-A')
const value = fc.constantFrom<Json>('x', 'y', 'xy', 1, true, null)
const leaf: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ field, equals: value }),
  fc.record({ field, not_equals: value }),
  fc.record({ field, in: fc.array(value, { maxLength: 3 }) }),
  fc.record({ field, contains: value }),
  fc.record({ field, exists: fc.boolean() }),
  fc.record({ field, missing: fc.constant(true) }),
  fc.record({ field, regex: fc.constantFrom('^x', '^y', '^xy?', 'y$', '^(x|y)', '^x{0}', '1') }),
) as fc.Arbitrary<Condition>
const { condition } = fc.letrec<{ condition: Condition }>((tie) => {
  const list = fc.array(tie('condition'), { maxLength: 3 })
  return {
    condition: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      leaf,
      fc.record({ all: list }),
      fc.record({ any: list }),
      fc.record({ not: tie('condition') }),
    ) as fc.Arbitrary<Condition>,
  }
})
const event = fc
  .record({
    payload: fc.record({ a: value, b: value, payload: fc.record({ a: value }, { requiredKeys: [] }) }, { requiredKeys: [] }),
    eventType: fc.constantFrom('x', 'y', 'unknown'),
    headers: fc.record({ 'x-a': fc.constantFrom('x', 'y', '1') }, { requiredKeys: [] }),
  })
  .map((each) => ({ ...each, text: JSON.stringify(each.payload) })) as fc.Arbitrary<unknown> as fc.Arbitrary<Event>

t.test('no filter is called unreachable that an event passes, and none always true that one does not pass', async (t) => {
  const kit = { operators: operatorsByName, profileDir: '/', openList: noLists, report: () => {}, recompileAtReload: () => {}, adopt }
  let nevers = 0
  let always = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(condition, { minLength: 1, maxLength: 4 }),
      fc.array(event, { minLength: 20, maxLength: 40 }),
      async (conditions, events) => {
        const reach = reachWith(operatorsByName)
        const branches = branchesOf(conditions as unknown as Json, ['filters'])
        const isNever = branches?.every((branch) => reach.conflictIn(branch) !== undefined) ?? false
        const isAlways = reach.isNever(branchesOf(conditions as unknown as Json, ['filters'], false))
        nevers += Number(isNever)
        always += Number(isAlways)
        const passes = compileConditions(conditions as unknown as Json, kit)
        for (const each of events) {
          const { pass } = await passes(each)
          if (isNever && pass) return false
          if (isAlways && !pass) return false
        }
        return true
      },
    ),
    { numRuns: 1000 },
  )
  t.ok(nevers > 50, `${nevers} were unreachable`)
  t.ok(always > 5, `${always} were always true`)
})

t.test('a condition that is shown in place of an expression says the same of every payload', async (t) => {
  const sources: readonly (readonly [string, Json | undefined])[] = [
    ['payload.a = "x"', { field: 'a', equals: 'x' }],
    ['5 < payload.a', { field: 'a', gt: 5 }],
    ['payload.a <= 5', { field: 'a', lte: 5 }],
    ['payload.a = payload.b', { field: 'a', equals_field: 'b' }],
    ['payload.a in ["x", 5, true]', { field: 'a', in: ['x', 5, true] }],
    ['$exists(payload.a)', { field: 'a', exists: true }],
    [
      '$not($exists(payload.`a.b`)) and event = "push"',
      { all: [{ not: { field: "'a.b'", exists: true } }, { field: 'event_type', equals: 'push' }] },
    ],
    ['$contains(payload.t, "x")', { field: 't', contains: 'x' }],
    ['$substring(payload.t, 0, 2) = "xy"', { field: 't', starts_with: 'xy' }],
    ['$count(payload.l) > 1', { field: 'l', gt: { length: 1 } }],
    [
      '(payload.a = 5 or payload.b = 5 or $not(payload.a = payload.b))',
      { any: [{ field: 'a', equals: 5 }, { field: 'b', equals: 5 }, { not: { field: 'a', equals_field: 'b' } }] },
    ],
    ['headers.`x-a` = "x"', { field: 'headers.x-a', equals: 'x' }],
    ['$count(payload.l) < 1', undefined],
    ['payload.l[0] = 5', undefined],
    ['payload.*.a = 5', undefined],
    ['payload.a > "5"', undefined],
    ['payload.a != 5', undefined],
    ['payload.a', undefined],
    ['a = 5', undefined],
    ['payload.a = null', undefined],
    ['payload.a = 5 and $now() > "2026"', undefined],
  ]
  for (const [source, condition] of sources) t.strictSame(conditionLike(source), condition, source)
  const recompileAtReload = () => {}
  const kit = {
    operators: operatorsByName,
    profileDir: '/',
    openList: noLists,
    recompileAtReload,
    adopt,
    report: () => t.fail('not compiled'),
  }
  const pairs = sources.flatMap(([source, condition]) =>
    condition ? [[compileConditions({ jsonata: source }, kit), compileConditions(condition, kit)] as const] : [],
  )
  const value = fc.constantFrom<Json>(null, 0, 5, 6, '5', 'x', 'xy', 'xyz', true, false)
  const payload = fc.record(
    { a: value, b: value, t: fc.constantFrom('', 'x', 'axyz', 'xyz'), l: fc.array(value, { maxLength: 3 }), 'a.b': value },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(payload, fc.constantFrom('push', 'pull'), fc.constantFrom('x', 'y'), async (body, eventType, header) => {
      const event = { payload: body, text: JSON.stringify(body), eventType, headers: { 'x-a': header } } as unknown as Event
      for (const [i, [expression, condition]] of pairs.entries()) {
        const [first, second] = [await expression(event), await condition(event)]
        if (first.pass !== second.pass) throw new Error(`${sources[i]?.[0]}: ${first.pass}, ${second.pass}`)
      }
    }),
    { numRuns: 500 },
  )
})

t.test('WH216: tools beyond the four beside text that strangers may write, of a route, of all routes, of a job', async (t) => {
  const notes = 'toolsets: { notes: { command: [x], allow: [y] } }\n'
  const job = (toolsets: string) => `${notes}jobs: { j: { name: nightly, schedule: "@daily", prompt: x, toolsets: [${toolsets}] } }\n`
  const told: readonly [route: string, rest: string, at: string, says: RegExp][] = [
    [
      'prompt: "{pull_request.title}"\ntoolsets: [clarify, notes]',
      notes,
      'toolsets',
      /the agent has "notes" and reads \{pull_request\.title\}/,
    ],
    ['prompt: "see {pull_request}"\ntoolsets: [notes]', notes, 'toolsets', /\{pull_request\}/],
    ['prompt: "{= $uppercase(issue.title) }"\ntoolsets: [notes]', notes, 'toolsets', /issue\.title/],
    ['prompt: "{__raw__}"\ntoolsets: [notes]', notes, 'toolsets', /\{__raw__\}/],
    ['toolsets: [notes]', notes, 'toolsets', /the whole payload/],
    ['prompt: "{title}"', `${notes}platform_toolsets: { webhook: [notes] }\n`, 'prompt', /"notes"/],
    ['prompt: "{title}"\ncron_job: j', job('notes'), 'cron_job', /the agent of the job "j" has "notes" and reads \{title\}/],
    ['prompt: "{title}"\ncron_job: nightly', job('notes'), 'cron_job', /the job "nightly"/],
  ]
  const of216 = async (route: string, rest: string) => {
    const config = configOf(route, { rest })
    const found = (await run(t, config)).filter(({ code }) => code === 'WH216')
    return found.map(({ message, place }) => [place && textAt(config, place), message] as const)
  }
  for (const [route, rest, at, says] of told) t.match(await of216(route, rest), [[at, says]], route)
  for (const [route, rest] of [
    ['prompt: "{title}"', notes],
    ['prompt: "{title}"\ntoolsets: [web_search, clarify]', notes],
    ['prompt: "{title}"\ntoolsets: [terminal, nothing]', notes],
    ['prompt: "{number} {user.id}"\ntoolsets: [notes]', notes],
    [
      'prompt: "{title}"\ndeliver_only: true\ndeliver: slack\ndeliver_extra: { chat_id: a }',
      `${notes}platform_toolsets: { webhook: [notes] }\n`,
    ],
    ['prompt: "{title}"\ncron_job: j', job('clarify')],
  ] as const)
    t.same(await of216(route, rest), [], route)
})
