/** Lookups of code hosts: each kind, what counts as the pull request of a commit, and what a hostile payload or server can do. */

import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { type GatewayOptions, startGateway } from '../fakes/gateway.ts'
import { forkSha, githubApi, githubToken, ownSha, repo } from '../fakes/github-api.ts'
import { json, type Seen, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

type Answer = (response: ServerResponse, seen: Seen) => void

/** A gateway whose route `r` asks one question of GitHub, and shows the answer as its text. */
const start = async (t: Test, question: object, answer: Answer = githubApi(), more: GatewayOptions = {}) => {
  const { origin, seen } = await sink(t, answer)
  const x = { api_base: `${origin}/`, token: '${HOST_TOKEN}', ...question }
  const gateway = await startGateway(t, {
    ...more,
    env: { HOST_TOKEN: githubToken },
    routes: { r: { lookup: { x }, prompt: '{= $string(lookup.x) }' } },
  })
  let count = 0
  /** Posts an event, and returns the answer to its question, or the status with the reason. */
  const answered = async (body: object): Promise<unknown> => {
    const { status, headers } = await gateway.post('r', { body: { repository: { full_name: repo }, ...body } })
    if (status !== 202) {
      const ends = gateway.lines.filter(({ stage, reason }) => stage === 'lookup' && reason !== undefined)
      return [status, ends.at(-1)?.reason, headers.get('retry-after')]
    }
    count += 1
    const texts = () => gateway.lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => text)
    await until(() => texts().length >= count)
    const text = String(texts().at(-1))
    return /^[[{]|^null$/.test(text) ? JSON.parse(text) : text
  }
  return { answered, seen }
}

t.test('a pull request has the same small shape everywhere', async (t) => {
  const { answered, seen } = await start(t, { github: 'pull_request', number: '{n}' })
  t.strictSame(await answered({ n: 7 }), {
    number: 7,
    title: 'PR 7',
    state: 'open',
    draft: false,
    merged: false,
    author: 'octocat',
    head: { sha: forkSha, ref: 'master', repo: 'octo-fork/octo-repo' },
    base: { ref: 'main', repo },
    labels: ['agent'],
    url: `https://github.com/${repo}/pull/7`,
  })
  t.equal(await answered({ n: 404 }), null)
  t.equal(await answered({}), null, 'without a number nothing is asked')
  t.equal(seen.length, 2)
})

t.test('a value that has not the form of its place is not sent', async (t) => {
  const { answered, seen } = await start(t, { github: 'pull_request', number: '{n}', repo: '{r}' })
  for (const n of ['../../user', '7/files', '0', '-1', '7?x=1', '7\n'])
    t.match(await answered({ n, r: repo }), [200, 'lookup.x: number is not a positive whole number'])
  for (const r of ['octo-org/..', 'octo-org', '../octo-org/octo-repo', 'a/b/c', 'a/b?c'])
    t.match(await answered({ n: 7, r }), [200, 'lookup.x: repo is not owner/name'])
  const user = await start(t, { github: 'permission', user: '{u}' })
  for (const u of ['..', 'a/b', 'octocat[x]', '%2e%2e'])
    t.match(await user.answered({ u }), [200, 'lookup.x: user is not the name of a user'])
  const commit = await start(t, { github: 'pull_request_of_commit', sha: '{s}' })
  for (const s of ['main', '../pulls', 'abc123'])
    t.match(await commit.answered({ s }), [200, 'lookup.x: sha is not the whole hash of a commit'])
  t.equal(await commit.answered({ s: '0'.repeat(40) }), null, 'a deleted branch has no commit')
  t.equal(seen.length + user.seen.length + commit.seen.length, 0)
})

t.test('a permission is a bare word, and a role of an organization counts as what it allows', async (t) => {
  const { answered } = await start(t, { github: 'permission' })
  for (const [login, word] of [
    ['octocat', 'maintain'],
    ['reader', 'triage'],
    ['custom', 'write'],
    ['nobody', 'none'],
    ['dependabot[bot]', null],
  ])
    t.equal(await answered({ sender: { login } }), word, String(login))
})

t.test('changed files come with the old paths of renamed ones, and past 300 the answer says that it is cut', async (t) => {
  const body = { pull_request: { number: 7 } }
  const few = await start(t, { github: 'changed_files' })
  t.strictSame(await few.answered(body), {
    paths: ['src/f0.ts', 'lib/f0.ts', 'src/f1.ts'],
    changes: [
      { path: 'src/f0.ts', status: 'renamed' },
      { path: 'src/f1.ts', status: 'modified' },
    ],
    cut: false,
  })
  for (const [files, kept, cut, pages] of [
    [100, 100, false, 2],
    [300, 300, false, 3],
    [1000, 300, true, 3],
  ] as const) {
    const many = await start(t, { github: 'changed_files' }, githubApi(files))
    const answer = (await many.answered(body)) as { readonly changes: readonly object[]; readonly cut: boolean }
    t.strictSame([answer.changes.length, answer.cut, many.seen.length], [kept, cut, pages], `${files} files`)
  }
})

t.test('the pull request of a commit is found for a fork, and never that of another fork', async (t) => {
  const { answered } = await start(t, { github: 'pull_request_of_commit' })
  const run = (full_name: string, head_branch: string, head_sha = forkSha) => ({
    workflow_run: { head_sha, head_branch, head_repository: { full_name } },
  })
  t.match(await answered(run('octo-fork/octo-repo', 'master')), { number: 7 })
  t.match(await answered(run('mallory/octo-repo', 'master')), { number: 8 })
  t.equal(await answered(run('octo-fork/octo-repo', 'other')), null)
  t.equal(await answered(run('octo-fork/octo-repo', 'master', 'c'.repeat(40))), null, 'the branch went on')
  t.match(await answered(run(repo, 'topic', ownSha)), { number: 9 })
  t.match(await answered({ after: ownSha }), { number: 9 })
  t.equal(await answered({ after: forkSha }), null)
})

t.test('a host without room, and a hostile one, give no answer and are quoted nowhere', async (t) => {
  const cases: readonly (readonly [name: string, answer: Answer, reason: RegExp, retryAfter: string])[] = [
    ['429', (r) => json(r, 429, {}, { 'retry-after': '17' }), /HTTP 429$/, '17'],
    ['a secondary limit', (r) => json(r, 403, {}, { 'retry-after': '60' }), /HTTP 403$/, '60'],
    ['no right', (r) => json(r, 403, { message: 'CANARY' }), /HTTP 403$/, '5'],
    ['HTML', (r) => void r.writeHead(200).end('<html>CANARY'), /HTTP 200 without JSON$/, '5'],
    ['a list', (r) => json(r, 200, ['CANARY']), /^lookup\.x: GitHub answered with something else than a pull request$/, '5'],
    ['wrong types', (r) => json(r, 200, { number: 'CANARY', state: {} }), /something else than a pull request$/, '5'],
    ['too much', (r) => void r.writeHead(200).end(`"${'x'.repeat(9 * 1024 * 1024)}"`), /^lookup\.x: /, '5'],
  ]
  for (const [name, answer, reason, retryAfter] of cases) {
    const { answered } = await start(t, { github: 'pull_request', number: '{n}' }, answer)
    const got = await answered({ n: 7 })
    t.match(got, [503, reason, retryAfter], name)
    t.notMatch(JSON.stringify(got), /CANARY/)
  }
})
