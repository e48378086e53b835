/** The audit: commands that change something leave lines in it, whoever runs them, and however the file stands. */

import { chownSync, lstatSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { newFolder } from '../fakes/folder.ts'
import { command, dataDir, linesIn, startGateway } from '../fakes/process-gateway.ts'

const by = `command:${userInfo().username}`
const secret = 'a-secret-that-the-audit-must-not-have'
const routes = { hello: { prompt: 'x', filters: [{ field: 'payload.a', exists: true }] } }
const linesOf = (dir: string): readonly { readonly [name: string]: unknown }[] =>
  linesIn(dir, 'state/audit.jsonl').map((line) => JSON.parse(line))

t.test('commands that change something leave lines: who, what, on what, how many, how it ended', async (t) => {
  const gateway = await startGateway(t, dataDir(t, { routes, config: { jobs: { nightly: { schedule: '@daily', prompt: 'x' } } } }))
  const { dir } = gateway
  await gateway.post('hello', '1', { body: '{}' })
  await gateway.post('hello', '2', { body: '{}' })
  for (const args of [['events', 'list'], ['events', 'replay', '--from-route', 'hello', '--dry-run'], ['webhook', 'list'], ['validate']])
    command({ dir }, ...args)
  t.same(linesOf(dir), [], 'a look leaves none')
  const audited = (...args: string[]) => {
    const before = linesOf(dir).length
    const { status } = command({ dir }, ...args)
    return { status, lines: linesOf(dir).slice(before) }
  }
  t.match(audited('webhook', 'subscribe', 'ci', '--prompt', 'x', '--secret', secret), {
    lines: [
      { by, action: 'subscribe', on: { name: 'ci', options: ['prompt', 'secret'] }, result: 'begun' },
      { by, result: 'done' },
    ],
  })
  t.match(audited('events', 'replay', '--from-route', 'hello', '--yes'), {
    lines: [
      { action: 'replay', on: { fromRoute: 'hello' }, result: 'begun' },
      { result: 'done', replayed: 2, failed: 0 },
    ],
  })
  t.match(audited('events', 'replay', 'nope', '--yes'), {
    lines: [{ on: { ids: ['nope'], count: 1 } }, { result: 'failed', error: /nope/ }],
  })
  t.match(audited('cron', 'pause', 'nightly'), { lines: [{ action: 'pause_job', on: { job: 'nightly' } }, { result: 'done' }] })
  t.match(audited('targets', 'reset', 'http'), { lines: [{ action: 'reset_breaker', on: { target: 'http' } }, { result: 'failed' }] })
  t.match(audited('gateway', 'reload'), { lines: [{ action: 'reload' }, { result: 'done' }] })
  t.match(audited('webhook', 'remove', 'ci', '--yes'), { lines: [{ action: 'remove_subscription' }, { result: 'done' }] })
  t.notMatch(readFileSync(join(dir, 'state/audit.jsonl'), 'utf8'), secret)

  const file = join(dir, 'state/audit.jsonl')
  writeFileSync(file, readFileSync(file, 'utf8').padEnd(16 * 1024 * 1024, ' '))
  t.equal(command({ dir }, 'cron', 'resume', 'nightly').status, 0)
  t.match(linesOf(dir), [
    { by: 'headgate', action: 'rotate_audit', on: { kept: 'audit.jsonl.1', dropped_older: false } },
    { action: 'resume_job', result: 'begun' },
    { action: 'resume_job', result: 'done' },
  ])
  t.ok(statSync(`${file}.1`).size >= 16 * 1024 * 1024)

  const elsewhere = join(dir, 'elsewhere')
  writeFileSync(elsewhere, '')
  rmSync(file)
  symlinkSync(elsewhere, file)
  const paused = command({ dir }, 'cron', 'pause', 'nightly')
  t.match(paused, { status: 0, stderr: /the audit has no line of this/ }, 'a command whose line cannot be written says so, and goes on')
  t.equal(readFileSync(elsewhere, 'utf8'), '', 'a link is not followed')
})

t.test('a command that makes the data directory leaves its lines there', (t) => {
  const dir = join(newFolder(t), 'new')
  t.equal(command({ dir }, 'gateway', 'setup', '--yes').status, 0)
  t.match(linesOf(dir), [
    { by, action: 'setup', result: 'begun' },
    { by, action: 'setup', result: 'done' },
  ])
  t.end()
})

t.test('what root writes does not lock the user of the service out', { skip: process.getuid?.() !== 0 && 'needs root' }, async (t) => {
  const dir = dataDir(t, { routes })
  chownSync(dir, 65_534, 65_534)
  t.equal(command({ dir }, 'webhook', 'subscribe', 'ci', '--prompt', 'x').status, 0)
  for (const path of ['state', 'state/audit.jsonl']) t.match(lstatSync(join(dir, path)), { uid: 65_534, gid: 65_534 }, path)
})
