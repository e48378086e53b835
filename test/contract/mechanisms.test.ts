/** Each job has one mechanism: the function of Node that does the job is used in the file that owns the job, and nowhere else in `src/`. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('../../src', import.meta.url))

/**
 * `raw`: what a line of code outside of `homes` may not have. `homes`: the paths below `src/` that may have it, the owner first, each other
 * with its reason.
 */
type Mechanism = { readonly job: string; readonly raw: RegExp; readonly homes: { readonly [path: string]: string } }

const mechanisms: readonly Mechanism[] = [
  {
    job: 'whether a file has changed',
    raw: /\b(?:[mc]time(?:Ms|Ns)?|ino)\b/,
    homes: {
      'core/file-stamp.ts': 'the home',
      'config/writing/file-lock.ts': 'whether a lock is still renewed',
      'journal/folder.ts': 'how old a segment is, for its retention',
      'check/machine/machine.ts': 'which copy of a database is the newest',
    },
  },
  {
    job: 'replacing and moving a file so that it survives a power cut',
    raw: /\b(?:rename(?:Sync)?\(|fsync(?:Sync)?\(|fdatasync\)|\.(?:data)?sync\(\))/,
    homes: {
      'core/durable-file.ts': 'the home',
      'store/sqlite/database.ts': 'opening a database, before the event loop is needed',
      'store/sqlite/durable-database.ts': 'the log of the database, synced in its place',
      'store/sqlite/moving/movable-sqlite.ts': 'a database in the place of another',
      'journal/segments/erase-events.ts': 'zeros in the place of what is erased',
    },
  },
  {
    job: 'a lock between processes',
    raw: /`[^`]*\.lock`/,
    homes: { 'config/writing/file-lock.ts': 'the home' },
  },
  {
    job: 'comparing secrets in constant time',
    raw: /\btimingSafeEqual\b/,
    homes: { 'secrets/same-secret.ts': 'the home' },
  },
  {
    job: 'the mask of a secret',
    raw: /\*{3,}['"`]/,
    homes: { 'core/secret-names.ts': 'the home' },
  },
  {
    job: 'closing what was opened',
    raw: /#holders\b|\b\w*(?:[cC]los(?:ing|e)s?|[sS]tops|[cC]leanups?|[dD]ispos\w+)\.push\(|repeat\(.*\)\.stop\b|Promise<\(\) => (?:Promise<void>|void)>|\bSymbol\.(?:asyncD|d)ispose\b/,
    homes: { 'core/scope.ts': 'the home' },
  },
  {
    job: 'a timer',
    raw: /(?<!\.)\bset(?:Timeout|Interval)\b|\bAbortSignal\.timeout\b/,
    homes: { 'core/clock.ts': 'the home' },
  },
  {
    job: 'a timer that is started again and again',
    raw: /^(?!.*\bconst\b).*[^=!<>]=\s*[\w.#]*\.after\(/,
    homes: { 'core/turns/timer.ts': 'the home', 'core/turns/within.ts': 'the time of one deadline' },
  },
  {
    job: 'a turn of the event loop',
    raw: /\bsetImmediate\b/,
    homes: {
      'core/turns/taking-turns.ts': 'the home',
      'core/turns/short-turns.ts': 'costly tasks, for which turns are what is shared out',
      'expr/turn.ts': 'expressions, for which turns are what is shared out',
      'http/pace.ts': 'bodies, for which turns are what is shared out',
      'http/reply-batch.ts': 'answers of one turn, written without a promise for each',
      'serve/refused-signatures.ts': 'work that must come after those answers',
      'process/strays.ts': 'turns that do not keep the process alive',
    },
  },
  {
    job: 'holding the event loop for a share of its turn',
    raw: /\bturnShares\b|\bsliceMs\b/,
    homes: {
      'core/turns/turn-shares.ts': 'the home',
      'core/turns/taking-turns.ts': 'long work',
      'core/turns/short-turns.ts': 'signatures',
      'expr/turn.ts': 'expressions',
      'http/pace.ts': 'bodies',
    },
  },
  {
    job: 'doing something as the only one of several gateways',
    raw: /\.lead\(/,
    homes: {
      'store/as-leader.ts': 'the home',
      'features/alerts/memory.ts': 'the teller of alerts, which goes on while the database is away',
      'features/alerts/alerts.ts': 'the same',
      'features/catch-up/catch-up-run.ts': 'a task of many steps, which asks before each whether it still leads',
    },
  },
  {
    job: 'a delay that grows',
    raw: /\b2 \*\* \(?\w*(?:tries|trial|attempt|fail|look|round)|\b(\w*(?:ms|pause|delay|wait))\b.* = .*(?:\b2 \* \1\b|\b\1 \* 2\b)|(?:ms|pause|delay|wait) \*= /i,
    homes: { 'core/turns/back-off.ts': 'the home' },
  },
  {
    job: 'asking a server over HTTP',
    raw: /\bfetch\(|\brequest\b.* from 'node:https?'|import\('node:https?'\)|from '(?:ws|@opentelemetry\/exporter-.*)'/,
    homes: {
      'core/calls/call-server.ts': 'the home',
      'core/calls/request-by-node.ts': 'where fetch cannot go: a socket, a connection that is open, addresses that were checked',
      'parts/targets/kit/wecom-bot.ts': 'a WebSocket, which answers no request',
      'observe/traces/otlp-sender.ts': "OpenTelemetry's exporters, which are given no fetch",
      'observe/metrics/push-metrics.ts': "OpenTelemetry's exporters, which are given no fetch",
    },
  },
]

/** The lines of code of all files, without those of comments. What is generated or belongs to a page of the browser is left out. */
const lines = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file) && !/^(?:generated|console\/pages)\//.test(file))
  .flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .map((text, i) => ({ file, text, place: `${file}:${i + 1}` })),
  )
  .filter(({ text }) => !/^\s*(?:\*|\/\*|\/\/)/.test(text))

for (const { job, raw, homes } of mechanisms) {
  t.test(`${job}: one mechanism`, (t) => {
    const found = lines.filter(({ text }) => raw.test(text))
    const strays = found.filter(({ file }) => !Object.hasOwn(homes, file)).map(({ place, text }) => `${place}: ${text.trim()}`)
    t.same(strays, [], 'the raw thing stands in its homes alone')
    const unused = Object.keys(homes).filter((home) => !found.some(({ file }) => file === home))
    t.same(unused, [], 'each home still needs its line here')
    t.end()
  })
}

t.test('folders of tests: one mechanism', async (t) => {
  const tests = fileURLToPath(new URL('..', import.meta.url))
  const strays = readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[^/\\]+[/\\][^/\\]+\.ts$/.test(file) && !/^(?:node_modules|foreign)\b/.test(file))
    .filter((file) => /\w\.testdir\(/.test(readFileSync(join(tests, file), 'utf8')))
  t.same(strays, [join('fakes', 'folder.ts')], 'all others call newFolder')
})
