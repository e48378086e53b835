import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startGateway, type TestGateway } from '../fakes/gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'
import { delivery } from '../fakes/webhooks.ts'

/** Does what the payload's `mode` says: one script for every way a script can end. */
const moody = `
import json, sys, time
payload = json.load(sys.stdin)
mode = payload["mode"]
if mode == "ok": print(json.dumps({"text": "replaced"}))
if mode == "silent": print("[SILENT]")
if mode == "blank": print("  \\n ")
if mode == "ignore": print(json.dumps({"__hermes_ignore__": True, "text": "x"}))
if mode == "ignore not": print(json.dumps({"__hermes_ignore__": "true", "text": "kept"}))
if mode == "fails": print("{}"); sys.exit(3)
if mode == "slow": time.sleep(12); print("{}")
if mode == "floods": print("x" * 2000000)
if mode == "killed": import os; os.kill(os.getpid(), 9)
`
const scripts = {
  'moody.py': moody,
  'review.sh': `jq -c '{number, title: .pull_request.title, by: .sender.login}' 2>/dev/null || python3 -c '
import json, sys
p = json.load(sys.stdin)
print(json.dumps({"number": p["number"], "title": p["pull_request"]["title"], "by": p["sender"]["login"]}))'`,
  'note.bash': '[ -n "$BASH_VERSION" ] && printf "  two\\nlines  \\n"',
  'list.py': 'print("[1, 2]")',
  'env.py': 'import json, os\nprint("env " + json.dumps(dict(os.environ)))',
  'same.sh': 'cat',
  'no-extension': 'import sys\nprint("python " + sys.stdin.read())',
}

const textOf = async (
  gateway: TestGateway,
  route: string,
  body: unknown,
  headers: { readonly [name: string]: string } = {},
): Promise<unknown> => {
  const id = headers['X-Request-ID'] ?? randomUUID()
  const { status, text } = await gateway.post(route, { body, headers: { ...headers, 'X-Request-ID': id } })
  if (status !== 202) throw new Error(`${status} ${text}`)
  return (await gateway.line(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === id)).text
}

t.test('Script rules', async (t) => {
  const receiver = await sink(t, (response) => json(response, 200, {}))
  const script = (name: string, more: object = {}): object => ({ script: name, ...more })
  const gateway = await startGateway(t, {
    extra: { script_timeout_seconds: 20 },
    files: { scripts },
    env: { CANARY_FROM_ENV: 'canary-value' },
    routes: {
      replaced: script('review.sh', { prompt: '#{number} {title} by {by} {pull_request.title}' }),
      extra: script('moody.py', { deliver: 'http', deliver_extra: { url: `${receiver.origin}/{text}/x` }, prompt: '{text}' }),
      note: script('note.bash', { prompt: '{title}: {script_output}' }),
      list: script('list.py', { prompt: '{script_output} {payload}' }),
      moody: script('moody.py', { script_timeout_seconds: 5, prompt: '{text}' }),
      env: script('env.py', { prompt: '{script_output}' }),
      same: script('same.sh'),
      named: script('no-extension', { prompt: '{script_output}' }),
      lost: script('lost.py'),
      listed: script('moody.py', { events: ['push'], filters: [{ field: 'mode', equals: 'ok' }], prompt: '{text}' }),
    },
  })
  const ignored = (route: string) => ({ status: 200, json: { status: 'ignored', reason: 'script', route } })

  t.test('the payload comes on standard input; a JSON object replaces it in the prompt', async (t) => {
    const opened = delivery('pull_request', 'opened')
    const { number, pull_request: pr, sender } = opened
    t.equal(await textOf(gateway, 'replaced', opened), `#${number} ${pr.title} by ${sender.login} {pull_request.title}`)
    t.equal(await textOf(gateway, 'same', opened), JSON.stringify(opened, null, 2).slice(0, 4000))
  })

  t.test('a JSON object replaces the payload in deliver_extra too', async (t) => {
    t.equal((await gateway.post('extra', { body: { mode: 'ok', text: 'original' } })).status, 202)
    const seen = await until(() => receiver.seen.at(-1))
    t.equal(seen.url, '/replaced/x')
    t.equal(JSON.parse(seen.body).text, 'replaced')
  })

  t.test('text is added to the payload as script_output; .bash runs with bash', async (t) => {
    t.equal(await textOf(gateway, 'note', { title: 'T' }), 'T: two\nlines')
    t.equal(await textOf(gateway, 'note', '["a list"]'), '{title}: two\nlines')
  })

  t.test('JSON that is no object is text; any other extension runs with Python', async (t) => {
    t.equal(await textOf(gateway, 'list', {}), '[1, 2] {payload}')
    t.equal(await textOf(gateway, 'named', '{"n":9007199254740993}'), 'python {"n":9007199254740993}')
  })

  t.test('empty, [SILENT], __hermes_ignore__, time-out, non-zero exit, a kill and a flood: ignored, and the id stays free', async (t) => {
    for (const mode of ['blank', 'nothing', 'silent', 'ignore', 'slow', 'fails', 'killed', 'floods']) {
      const headers = { 'X-Request-ID': `free after ${mode}` }
      t.match(await gateway.post('moody', { body: { mode }, headers }), ignored('moody'))
      t.equal(await textOf(gateway, 'moody', { mode: 'ok' }, headers), 'replaced', mode)
      t.equal((await gateway.post('moody', { body: { mode: 'ok' }, headers })).json.status, 'duplicate')
    }
    t.equal(await textOf(gateway, 'moody', { mode: 'ignore not' }), 'kept', 'only true is true')
    for (const why of [/took too long/, /exit code 3/, /killed by SIGKILL/, /wrote too much/])
      t.ok(
        gateway.lines.some(({ level, reason }) => level === 'warn' && why.test(String(reason))),
        String(why),
      )
  })

  t.test('a missing script: the event is ignored, until there is one', async (t) => {
    const headers = { 'X-Request-ID': 'lost' }
    t.match(await gateway.post('lost', { headers }), ignored('lost'))
    writeFileSync(join(gateway.dir, 'scripts', 'lost.py'), 'print("found")')
    t.equal((await gateway.post('lost', { headers })).status, 202)
    rmSync(join(gateway.dir, 'scripts', 'lost.py'))
    t.match(await gateway.post('lost'), ignored('lost'))
  })

  t.test('the environment is stripped; HEADGATE_EVENT and HEADGATE_DELIVERY_ID are there', async (t) => {
    process.env.HEADGATE_TEST_CANARY = 'canary-value'
    t.teardown(() => delete process.env.HEADGATE_TEST_CANARY)
    const text = await textOf(gateway, 'env', {}, { 'X-GitHub-Event': 'push', 'X-Request-ID': 'id $(touch ran)' })
    const env = JSON.parse(String(text).slice('env '.length)) as { [name: string]: string }
    t.match(env, { HEADGATE_EVENT: 'push', HEADGATE_DELIVERY_ID: 'id $(touch ran)', PATH: process.env.PATH })
    t.notMatch(String(text), 'canary-value')
    const known = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'HEADGATE_EVENT', 'HEADGATE_DELIVERY_ID', 'HEADGATE_CHILD']
    // What the shell, a launcher of Python or the test runner adds by itself is not ours.
    const own = /^(PWD|OLDPWD|SHLVL|_|__CF.*|_?PYENV.*|_TAPJS.*|NODE_OPTIONS|NODE_V8_COVERAGE)$/
    t.same(
      Object.keys(env).filter((name) => !known.includes(name) && !own.test(name)),
      [],
    )
  })

  t.test('events and filters come first: a script sees only what they let pass', async (t) => {
    t.equal((await gateway.post('listed', { body: { mode: 'silent' } })).json.reason, 'event')
    t.equal((await gateway.post('listed', { body: { mode: 'silent', event_type: 'push' } })).json.reason, 'filter')
    t.equal(await textOf(gateway, 'listed', { mode: 'ok', event_type: 'push' }), 'replaced')
  })

  t.test('a script swapped for a link to outside does not run', async (t) => {
    const marker = join(gateway.dir, 'ran')
    writeFileSync(join(gateway.dir, 'evil.py'), `open(${JSON.stringify(marker)}, "w")\nprint("evil")`)
    symlinkSync(join(gateway.dir, 'evil.py'), join(gateway.dir, 'scripts', 'lost.py'))
    t.match(await gateway.post('lost'), ignored('lost'))
    t.notOk(existsSync(marker))
  })
})

t.test('a script of a route without a limit has that of the adapter', async (t) => {
  const routes = { r: { script: 'moody.py', prompt: 'p' } }
  const gateway = await startGateway(t, { extra: { script_timeout_seconds: 1 }, files: { scripts }, routes })
  t.match(await gateway.post('r', { body: { mode: 'slow' } }), { status: 200, json: { status: 'ignored', reason: 'script' } })
})

t.test('a path that leaves the scripts folder stops the start', async (t) => {
  for (const path of ['../evil.sh', '/bin/true', 'a/../../evil.sh', '..']) {
    t.test(path, async (t) => {
      await t.rejects(startGateway(t, { routes: { r: { script: path } }, files: { scripts, 'evil.sh': 'echo evil' } }), {
        message: /WH602/,
      })
    })
  }
})

t.test('each profile has a scripts folder of its own', async (t) => {
  const say = (who: string) => ({ 'who.sh': `echo ${who}` })
  const gateway = await startGateway(t, {
    config: { gateway: { multiplex_profiles: true } },
    routes: {
      main: { script: 'who.sh', prompt: '{script_output}' },
      bound: { profile: 'team', script: 'who.sh', prompt: '{script_output}' },
    },
    files: { scripts: say('default'), profiles: { team: { 'config.yaml': '', scripts: say('team') } } },
  })
  t.equal(await textOf(gateway, 'main', {}), 'default')
  await gateway.post('', { path: '/p/team/webhooks/bound' })
  t.equal((await gateway.line(({ msg, route }) => msg === 'delivered' && route === 'bound')).text, 'team')
})

t.test('at most max_concurrent_scripts run at once; the others wait for their turn', async (t) => {
  // Each waits for the other to be there: they end only when both run at the same time.
  const meet =
    'touch "$HEADGATE_DELIVERY_ID.in"; for i in $(seq 200); do [ $(ls *.in | wc -l) = 2 ] && echo met && exit; sleep .05; done; exit 1'
  const alone = 'mkdir lock || echo overlap >> overlaps; echo run >> runs; sleep .05; rmdir lock; echo done'
  for (const max of [1, 2]) {
    t.test(`${max}`, async (t) => {
      const gateway = await startGateway(t, {
        config: { gateway: { max_concurrent_scripts: max } },
        routes: { r: { script: 'x.sh' } },
        files: { scripts: { 'x.sh': max === 1 ? alone : meet } },
      })
      const answers = await Promise.all(['a', 'b'].map((id) => gateway.post('r', { headers: { 'X-Request-ID': id } })))
      t.same(
        answers.map(({ status }) => status),
        [202, 202],
      )
      if (max > 1) return
      t.equal(readFileSync(join(gateway.dir, 'scripts', 'runs'), 'utf8'), 'run\nrun\n')
      t.notOk(existsSync(join(gateway.dir, 'scripts', 'overlaps')))
    })
  }
})
