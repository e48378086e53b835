/** Catch-up over crashes: a gateway is killed again and again while events come, and each event runs once. */

import t from 'tap'
import { stringify } from 'yaml'
import { spawnGateway } from '../fakes/process-gateway.ts'
import { startGithub } from '../fakes/sender-logs/github.ts'
import { until } from '../fakes/wait.ts'

const secret = 'It is a secret to everybody'
// `node --import=tsx test/e2e/catch-up.test.ts --full` takes a minute.
const [events, kills] = process.argv.includes('--full') ? [200, 50] : [32, 8]

// Each start takes a second or more.
t.setTimeout(280_000)

t.test(`${events} events, and ${kills} of them meet a gateway that is killed: all run once`, { timeout: 270_000 }, async (t) => {
  const github = await startGithub(t, { secret, pageSize: 20 })
  const route = {
    verify: 'github',
    prompt: 'event {n}',
    deliver: 'log',
    catch_up: {
      from: 'github',
      repo: 'octo-org/octo-repo',
      hook: 7,
      token: 'ghp_canary_catch_up',
      api_base: github.base,
      per_minute: 6_000,
    },
  }
  const extra = { secret, port: 0, rate_limit: 100_000, routes: { repo: route } }
  const dir = t.testdir({ 'config.yaml': stringify({ platforms: { webhook: { enabled: true, extra } } }) })
  const delivered: string[] = []
  const start = async () => {
    const gateway = spawnGateway(t, dir)
    github.receiver = `${await gateway.listening}/webhooks/repo`
    return gateway
  }
  const end = async (gateway: Awaited<ReturnType<typeof start>>): Promise<void> => {
    gateway.kill('SIGKILL')
    await gateway.ended
    delivered.push(...textsOf(gateway))
  }
  let gateway = await start()
  for (let n = 0; n < events; n++) {
    const isKilled = n % Math.floor(events / kills) === 0
    const sending = github.event({ n })
    if (!isKilled) await sending
    else {
      // Sometimes the event comes before the kill, sometimes never, sometimes while it is worked on, or while the start catches up.
      if (n % 3 > 0) await new Promise((then) => setTimeout(then, (n * 7) % 40))
      await end(gateway)
      await sending
      gateway = await start()
    }
  }
  await until(() => gateway.lines.some(({ msg }) => msg === 'caught up'), 60_000)
  const all = (): string[] => [...delivered, ...textsOf(gateway)]
  await until(() => new Set(all()).size === events, 60_000)
  await github.settled()
  const texts = all().toSorted()
  t.equal(new Set(texts).size, events, 'each event ran')
  // A crash between a delivery and the end of its run repeats the run, so accepted events are counted, not texts.
  const accepted = github.deliveries.filter(({ status_code: status }) => status === 202).map(({ guid }) => guid)
  t.equal(accepted.length, new Set(accepted).size, 'and no event was accepted twice')
})

const textsOf = ({ lines }: { readonly lines: readonly { readonly msg: string; readonly text?: unknown }[] }): string[] =>
  lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => String(text))
