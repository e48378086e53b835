/** Catch-up over crashes: gateways are killed again and again, alone and on one database, and each event runs once. */

import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { runAt } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'
import { openPostgresServer, withoutPostgres } from '../fakes/postgres-server.ts'
import { spawnGateway } from '../fakes/process-gateway.ts'
import { startGithub } from '../fakes/sender-logs/github.ts'
import { putForward, sharedDirectories } from '../fakes/shared-gateways.ts'
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
  const dir = newFolder(t, { 'config.yaml': stringify({ platforms: { webhook: { enabled: true, extra } } }) })
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
  const undisturbed = new Set<string>()
  let gateway = await start()
  for (let n = 0; n < events; n++) {
    const isKilled = n % Math.floor(events / kills) === 0
    const sending = github.event({ n })
    if (!isKilled) undisturbed.add(await sending)
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
  const first = github.deliveries.filter(({ guid, redelivery }) => undisturbed.has(guid) && !redelivery)
  t.strictSame([...new Set(first.map(({ status_code: status }) => status))], [202], 'a gateway that runs answers each event')
})

/** The lease of a catch-up, and a second more. */
const leaseSeconds = 61

t.test(
  'three gateways on one database, killed in turn while 200 missed events are sent again: one asks at a time',
  {
    timeout: 270_000,
    skip: withoutPostgres,
  },
  async (t) => {
    const [missed, deaths] = [200, process.argv.includes('--full') ? 20 : 6]
    const github = await startGithub(t, { secret, token: 'ghp_canary_[abc]' })
    for (let n = 0; n < missed; n++) await github.event({ n })
    const log = { from: 'github', repo: 'octo-org/octo-repo', hook: 7, token: '${ASKER}', api_base: github.base, per_minute: 1_500 }
    const route = { verify: 'github', prompt: 'event {n}', deliver: 'log', catch_up: log }
    const server = await openPostgresServer()
    t.teardown(() => server.stop())
    const dirs = sharedDirectories(t, server, 3, { adapter: { secret, routes: { repo: route } } })
    const delivered: string[] = []
    const gateways = await Promise.all(dirs.map((dir) => startAsker(t, dir)))
    const receive = async (): Promise<void> => {
      github.receiver = `${await gateways[github.asked.length % 3]?.listening}/webhooks/repo`
    }
    await receive()
    for (let death = 0; death < deaths; death++) {
      await new Promise((then) => setTimeout(then, 300 + ((death * 733) % 900)))
      const asker = Math.max(0, dirs.map(tokenOf).indexOf(github.askers.at(-1)?.split(' ')[1] ?? ''))
      const [next, last] = [(asker + 1) % 3, (asker + 2) % 3]
      // The gateway that asks dies alone; it dies with another, which is back first; one that does not ask dies.
      const dying = [[asker], [next, asker], [last]][death % 3] ?? []
      for (const each of dying) {
        gateways[each]?.kill('SIGKILL')
        await gateways[each]?.ended
      }
      delivered.push(...dying.flatMap((each) => textsOf(gateways[each] ?? { lines: [] })))
      await putForward(t, dirs[asker] ?? '', leaseSeconds * (death + 1))
      for (const each of dying) gateways[each] = await startAsker(t, dirs[each] ?? '')
      await receive()
    }
    // What met a dead gateway would be looked for after five minutes. An event may be here although its answer met a dead gateway, too.
    const catchUp = () => Promise.all(dirs.map((dir) => runAt(dir, ['events', 'catch-up'])))
    const texts = (): Set<string> => new Set([...delivered, ...gateways.flatMap(textsOf)])
    await until(async () => (await catchUp()).length > 0 && texts().size === missed, 90_000)
    await github.settled()
    const accepted = github.deliveries.filter(({ status_code: status }) => status === 202).map(({ guid }) => guid)
    t.equal(accepted.length, new Set(accepted).size, 'each event ran, and none was accepted twice')
    const unanswered = github.deliveries.filter(({ redelivery, status_code: status }) => redelivery && status >= 400).length
    t.ok(github.askers.length <= missed + unanswered + deaths, `${github.askers.length} asked for, ${unanswered} met a dead gateway`)
    const turns = github.askers.filter((asker, i) => asker !== github.askers[i - 1]).length
    t.ok(turns > 1 && turns <= deaths + 1, `${turns} turns: who asks goes on until it dies`)
  },
)

const tokenOf = (dir: string): string => `ghp_canary_${dir.at(-1)}`

/** Starts a gateway that asks with a token of its own. */
const startAsker = async (t: Test, dir: string) => {
  const gateway = spawnGateway(t, dir, { env: { ASKER: tokenOf(dir) } })
  await gateway.listening
  return gateway
}

const textsOf = ({ lines }: { readonly lines: readonly { readonly msg: string; readonly text?: unknown }[] }): string[] =>
  lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => String(text))
