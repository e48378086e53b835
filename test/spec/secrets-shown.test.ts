/** No secret that the gateway knows, or that a request brings, shows in anything that it or a command writes. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { stringify } from 'yaml'
import { journalFolder } from '../../src/journal/folder.ts'
import { fakeCli } from '../fakes/cli.ts'
import { openEditor } from '../fakes/editor.ts'
import { hexHmac } from '../fakes/gateway.ts'
import { startGateway } from '../fakes/process-gateway.ts'
import { sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

/** A secret that looks like none: only its place says what it is. Each has a name, so that a failure says which one showed. */
const canary = (place: string): string => `${place.replaceAll('-', 'Q')}Q7f3k9`
const marks = /\w+Q7f3k9/g

/** Headers of a request whose names say that they hold a secret. */
const secretHeaders = ['X-Credential', 'X-Passphrase', 'X-Private-Key', 'X-Auth', 'Authorization', 'X-Api-Key', 'Cookie', 'X-Session-Token']

const filesBelow = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

t.test('each place of a secret has a canary; no log, record, command or screen shows one', async (t) => {
  // It says back what it was sent, as proxies and gateways do on their error pages.
  const target = await sink(t, (response, { url, headers }) => {
    response.writeHead(422, { 'content-type': 'text/plain' }).end(`cannot ${url} ${JSON.stringify(headers)}`)
  })
  const failing = {
    deliver: 'http',
    deliver_extra: {
      url: `${target.origin}/in?access_token=${canary('address')}&plain=1`,
      secret: canary('signing'),
      headers: { 'X-Target-Passphrase': canary('target-header') },
    },
  }
  const secret = canary('global')
  const cli = fakeCli(
    t,
    {
      'config.yaml': stringify({
        agent: { runner: 'echo' },
        platforms: {
          webhook: {
            enabled: true,
            extra: {
              port: 0,
              secret,
              routes: {
                fails: { ...failing, prompt: 'got {n}', deliver_only: true },
                token: { verify: 'gitlab', secret: canary('token'), prompt: 'got {n}', deliver: 'log' },
                filtered: {
                  secret: canary('route'),
                  prompt: 'p',
                  deliver: 'log',
                  filters: [{ not: { field: 'headers.x-credential', exists: true } }, { field: 'headers.x-passphrase', equals: 'other' }],
                },
                unset: { secret: '${MISSING_ONE}', prompt: 'p', deliver: 'log', enabled: false },
              },
            },
          },
          telegram: { token: canary('bot') },
          slack: { webhook_url: `https://hooks.slack.com/services/${canary('slack')}` },
        },
        toolsets: { own: { url: `http://127.0.0.1:9/mcp?key=${canary('mcp')}`, allow: ['x'], headers: { 'X-Key': canary('mcp-header') } } },
      }),
      // The agent says its prompt back, so the log would show the secret with the delivered text.
      'cron_jobs.json': JSON.stringify({
        stored: {
          schedule: '0 0 1 1 *',
          prompt: `got ${canary('stored-job')}`,
          deliver: ['log', 'http'],
          deliver_extra: { url: `${target.origin}/job`, secret: canary('stored-job') },
        },
      }),
    },
    {},
  )
  const gateway = await startGateway(t, cli.dir, {
    args: ['--log-level', 'debug', '--log-requests'],
    env: { MISSING_ONE: canary('variable') },
  })
  const origin = await gateway.listening
  const body = '{"n":1}'
  const post = async (route: string, headers: { readonly [name: string]: string }): Promise<string> => {
    const brought = Object.fromEntries(secretHeaders.map((name) => [name, canary(`sent-${name}`)]))
    const answer = await fetch(`${origin}/webhooks/${route}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...brought, ...headers },
      body,
    })
    return `${answer.status} ${await answer.text()} ${JSON.stringify([...answer.headers])}`
  }
  const signed = (key: string) => ({ 'X-Webhook-Signature': hexHmac(body, key) })
  const answers = [
    await post('fails', signed(secret)),
    await post('token', { 'X-Gitlab-Token': canary('token'), 'X-Gitlab-Event': 'Push Hook' }),
    await post('filtered', signed(canary('route'))),
    await post('filtered', signed('wrong')),
    await post('fails', { 'Content-Type': 'text/plain', ...signed('wrong') }),
  ]
  t.match(answers, [/^502 /, /^202 /, /^200 .*ignored/, /^401 /, /^401 /])
  t.match(await cli.run('cron', 'run', 'stored'), { code: 0 })
  await gateway.line(({ msg, text }) => msg === 'delivered' && text === 'got ***')
  t.equal(target.seen[0]?.headers['x-target-passphrase'], canary('target-header'), 'the target does get it')

  const shown = new Map<string, string>([['answers', answers.join('\n')]])
  const run = async (...argv: string[]): Promise<string> => {
    const { out, err } = await cli.runWith({ env: { HEADGATE_HOME: cli.dir, MISSING_ONE: canary('variable') } }, ...argv)
    shown.set(argv.join(' '), `${out}\n${err}`)
    return out
  }
  let ids: string[] = []
  await until(async () => {
    const { events } = JSON.parse(await run('--json', 'events', 'list')).data ?? {}
    ids = (events ?? []).map(({ event_id }: { event_id: string }) => event_id)
    return ids.length >= 4
  })
  for (const id of ids) {
    await run('events', 'show', id)
    await run('--json', 'events', 'show', id)
    await run('events', 'export', id)
    await run('webhook', 'trace', 'filtered', '--event-id', id, '--scheme', 'none')
  }
  t.match(await run('new', 'made', '--like', ids[0] ?? '', '--dry-run'), /would be written/)
  for (const route of ['fails', 'token', 'filtered', 'unset']) {
    await run('webhook', 'show', route)
    await run('--json', 'webhook', 'show', route)
  }
  await run('events', 'list')
  await run('events', 'replay', '--route', 'fails', '--yes')
  await run('webhook', 'list')
  await run('validate')
  await run('--json', 'validate')
  await run('doctor')
  await run('gateway', 'status')
  await run('--json', 'gateway', 'status')
  await run('targets', 'list')
  await run('targets', 'test', 'telegram')
  shown.set('journal', filesBelow(journalFolder(cli.dir)))

  const editor = openEditor(t, { dir: cli.dir, args: ['fails'], columns: 140, env: { MISSING_ONE: canary('variable') } })
  await editor.see('Description')
  await editor.see('outcome delivered')
  editor.press('p')
  await editor.see('Recorded')
  shown.set('editor', editor.written())
  editor.kill('SIGKILL')

  gateway.kill('SIGTERM')
  const { out, err } = await gateway.ended
  shown.set('log', out + err)
  const isThere = (text: string): boolean => text.trim().length > 0
  for (const [where, text] of shown) {
    t.ok(isThere(text), `${where} says something`)
    t.strictSame([...new Set(text.match(marks) ?? [])], [], where)
  }
})

t.test('the log knows the secret of a subscription, also of one that is made while the gateway runs', async (t) => {
  const entry = (name: string) => ({ secret: canary(name), prompt: `got ${canary(name)}`, deliver: 'log' })
  const cli = fakeCli(
    t,
    {
      'config.yaml': stringify({ agent: { runner: 'echo' }, platforms: { webhook: { enabled: true, extra: { port: 0 } } } }),
      'webhook_subscriptions.json': JSON.stringify({ first: entry('first') }),
    },
    {},
  )
  const gateway = await startGateway(t, cli.dir, { args: ['--log-level', 'debug'] })
  const origin = await gateway.listening
  const post = async (name: string): Promise<number> => {
    const headers = { 'Content-Type': 'application/json', 'X-Webhook-Signature': hexHmac('{}', canary(name)) }
    return (await fetch(`${origin}/webhooks/${name}`, { method: 'POST', headers, body: '{}' })).status
  }
  // The agent says its prompt back, and the log shows what is delivered.
  const isMasked = ({ msg, text }: { readonly msg: string; readonly text?: unknown }): boolean => msg === 'delivered' && text === 'got ***'
  t.equal(await post('first'), 202)
  await gateway.line(isMasked)
  cli.write('webhook_subscriptions.json', JSON.stringify({ first: entry('first'), second: entry('second') }))
  t.equal(await post('second'), 202)
  await gateway.line(() => gateway.lines.filter(isMasked).length === 2)
  gateway.kill('SIGTERM')
  const { out, err } = await gateway.ended
  t.strictSame(`${out}${err}`.match(marks), null)
})
