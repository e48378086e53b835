/** Requests that are split, with a real Alertmanager, and with kills while their items are committed. */

import { spawn, spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import t from 'tap'
import { freePort } from '../fakes/console-proxy.ts'
import { dataDir, startGateway } from '../fakes/process-gateway.ts'
import { until } from '../fakes/wait.ts'

const runsIn = (dir: string): number => {
  const db = new Database(join(dir, 'state', 'headgate.db'))
  const [row] = db.prepare('select count(*) as runs from runs').all() as { runs: number }[]
  db.close()
  return row?.runs ?? -1
}

t.test('a thousand items and kills around their commit: all or none, nothing lost, nothing doubled', async (t) => {
  const items = Array.from({ length: 1_000 }, (_, n) => ({ id: `item-${n}`, note: 'x'.repeat(500) }))
  const body = JSON.stringify({ items })
  // A kill before the commit finds nothing, one after the database has begun to grow may find all.
  for (const [since, delayMs] of [
    ['sent', 0],
    ['sent', 40],
    ['grown', 0],
    ['grown', 1],
    ['grown', 4],
    ['grown', 500],
  ] as const)
    await t.test(`killed ${delayMs} ms after it was ${since}`, async (t) => {
      const dir = dataDir(t, {
        routes: { work: { split: { items: 'items', id: ['id'] }, prompt: '{id}', retry: { max_attempts: 20 } } },
        agent: 'while [ ! -e "$dir/go" ]; do sleep .05; done; echo done',
      })
      const first = await startGateway(t, dir)
      const log = join(dir, 'state', 'headgate.db-wal')
      await first.listening
      const before = statSync(log).size
      const answered = first.post('work', 'request', { body }).then(
        ({ status }) => status,
        () => undefined,
      )
      if (since === 'grown') await until(() => statSync(log).size > before)
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      first.kill('SIGKILL')
      const status = await answered
      await first.ended
      const second = await startGateway(t, dir)
      const { items: repeated } = (await second.post('work', 'request', { body })).json
      t.comment(JSON.stringify({ status, repeated }))
      const all = JSON.stringify(repeated) === '{"duplicate":1000}'
      if (!all) t.strictSame([status, repeated], [undefined, { accepted: 1_000 }], 'all or none, and what was answered is there')
      second.kill('SIGKILL')
      await second.ended
      t.equal(runsIn(dir), 1_000, 'nothing is lost or doubled')
    })
})

const alertmanager = 'prometheus-alertmanager'
const missing = spawnSync(alertmanager, ['--version']).error ? `${alertmanager} is not installed` : false

t.test(
  'a real Alertmanager: each alert of a group is a run, and only what is new of a group that is sent again',
  { skip: missing },
  async (t) => {
    const key = 'a-long-random-text-for-alerts-41'
    const route = { verify: 'alertmanager', secret: key, split: true, filters: { field: 'labels.team', equals: 'ops' } }
    const dir = dataDir(t, {
      routes: { alerts: { ...route, prompt: '{labels.alertname} {labels.host} {event_type} of {batch.groupKey}' } },
      agent: 'cat',
    })
    const gateway = await startGateway(t, dir)
    const port = await freePort()
    writeFileSync(
      join(dir, 'alertmanager.yml'),
      `route: { receiver: hook, group_by: [alertname], group_wait: 1s, group_interval: 1s, repeat_interval: 1h }
receivers:
  - name: hook
    webhook_configs:
      - url: ${await gateway.listening}/webhooks/alerts
        http_config: { authorization: { credentials: ${key} } }
`,
    )
    const args = [`--config.file=${join(dir, 'alertmanager.yml')}`, `--storage.path=${join(dir, 'am')}`, '--cluster.listen-address=']
    const child = spawn(alertmanager, [...args, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
    const over = new Promise((resolve) => child.once('close', resolve))
    t.teardown(async () => {
      child.kill('SIGKILL')
      await over
    })
    const raise = async (...hosts: readonly string[]): Promise<void> => {
      const alerts = hosts.map((host) => ({ labels: { alertname: 'Down', host, team: host === 'c' ? 'web' : 'ops' } }))
      const answer = await fetch(`http://127.0.0.1:${port}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(alerts),
      })
      t.equal(answer.status, 200)
    }
    const delivered = (): string[] => gateway.lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => String(text).trim())
    await until(async () => (await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => undefined))?.ok)
    await raise('a', 'b', 'c')
    await until(() => delivered().length === 2)
    await raise('d')
    await until(() => delivered().length === 3)
    const of = 'of {}:{alertname="Down"}'
    t.strictSame(
      delivered().sort(),
      ['a', 'b', 'd'].map((host) => `Down ${host} firing ${of}`),
    )
    gateway.kill('SIGTERM')
    t.match(await gateway.ended, { code: 0 })
  },
)
