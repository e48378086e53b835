/** The commands of a relay: what is wrong in `relay.yaml` is said before it is used, and a running relay reads the file again. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { stringify } from 'yaml'
import { runAt } from '../fakes/cli.ts'
import { freePort } from '../fakes/console-proxy.ts'
import { newFolder } from '../fakes/folder.ts'
import { fakePuller, relayKey, startBuiltRelay } from '../fakes/relay.ts'
import { until } from '../fakes/wait.ts'

t.test('a relay listens at the address and port of its file', async (t) => {
  const at = { host: '127.0.0.2', port: await freePort() }
  t.match(await startBuiltRelay(t, { a: {} }, at), at)
})

t.test('a key is changed while the relay runs, and a file with a mistake changes nothing', async (t) => {
  const { pid, port, dir, lines } = await startBuiltRelay(t, { a: {} })
  const next = 'the-next-key-of-home'
  const status = async (key: string) => (await fakePuller(`http://127.0.0.1:${port}/home`, key).ask('done', '')).status
  const file = join(dir, 'relay.yaml')
  const text = readFileSync(file, 'utf8')
  const reload = async (written: string, words: RegExp): Promise<string> => {
    writeFileSync(file, written)
    process.kill(pid, 'SIGHUP')
    return await until(() => lines.find((line) => words.test(line)))
  }
  t.equal(await status(next), 401)
  await reload(text.replace(relayKey, next), /relay\.yaml was read again/)
  t.equal(await status(next), 200)
  t.equal(await status(relayKey), 401)
  t.match(await runAt(dir, ['relay', 'validate']), { code: 0, out: /relay\.yaml can be used: home/ })
  t.match(await reload(text.replace(relayKey, 'short'), /relay\.yaml has mistakes/), /the key is too short/)
  t.equal(await status(next), 200)
  t.match(await runAt(dir, ['relay', 'validate']), { code: 78, err: /WH105.*\n?.*the key is too short/ })
  t.notMatch(lines.join(), next)
})

t.test('what ends a relay, and what it logs, shows no key', async (t) => {
  const key = 'the-secret-key-of-a-home'
  const relay = (host: string, port: number): string =>
    stringify({ host, port, gateways: { home: { keys: ['${RELAY_KEY}'], routes: { a: {} } } } })
  const dir = newFolder(t, { '.env': `RELAY_KEY=${key}\n`, 'relay.yaml': relay(`${key}.invalid`, 0) })
  const ended = await runAt(dir, ['relay', 'run'])
  t.match(ended, { code: 1, err: /cannot listen on \*{3}\.invalid/ }, 'the key stands where the host belongs')
  t.notMatch(ended.out + ended.err, key)
  const asJson = await runAt(dir, ['relay', 'run', '--json'])
  t.match(asJson.out, /cannot_listen.*\*{3}/)
  t.notMatch(asJson.out + asJson.err, key)

  const { pid, dir: home, lines } = await startBuiltRelay(t, { a: {} })
  const file = join(home, 'relay.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('home:', `${relayKey}:`))
  process.kill(pid, 'SIGHUP')
  t.match(await until(() => lines.find((line) => /was read again/.test(line))), '***', 'the key stands where the name belongs')
  t.notMatch(lines.join(), relayKey)
})
