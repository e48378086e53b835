/** The commands of a relay: what is wrong in `relay.yaml` is said before it is used, and a running relay reads the file again. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runAt } from '../fakes/cli.ts'
import { fakeTaker, relayKey, startBuiltRelay } from '../fakes/relay.ts'
import { until } from '../fakes/wait.ts'

t.test('a key is changed while the relay runs, and a file with a mistake changes nothing', async (t) => {
  const { pid, port, dir, lines } = await startBuiltRelay(t, { a: {} })
  const next = 'the-next-key-of-home'
  const status = async (key: string) => (await fakeTaker(`http://127.0.0.1:${port}/home`, key).ask('done', '')).status
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
