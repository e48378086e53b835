/** Lookups of code hosts: each kind, what counts as the pull request of a commit, and what a hostile payload or server can do. */

import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { steppedClock } from '../fakes/clock.ts'
import { type GatewayOptions, startGateway } from '../fakes/gateway.ts'
import { giteaApi, giteaForkSha, giteaMergedSha, giteaOwnSha, giteaRepo, giteaToken } from '../fakes/gitea-api.ts'
import { forkSha, githubApi, githubToken, ownSha, repo } from '../fakes/github-api.ts'
import { forkCommit, gitlabApi, gitlabToken, ownCommit, project } from '../fakes/gitlab-api.ts'
import { json, type Seen, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

type Answer = (response: ServerResponse, seen: Seen) => void

/** How each host is reached, and its stand-in. */
const hosts = {
  github: { path: '/', token: githubToken, api: githubApi },
  gitlab: { path: '/api/v4/', token: gitlabToken, api: gitlabApi },
  gitea: { path: '/api/v1/', token: giteaToken, api: giteaApi },
}

/** A gateway whose route `r` asks one question of a host, and shows the answer as its text. */
const start = async (t: Test, question: { readonly [key: string]: string }, answer?: Answer, more: GatewayOptions = {}) => {
  const host = 'gitlab' in question ? hosts.gitlab : 'gitea' in question ? hosts.gitea : hosts.github
  const { origin, seen } = await sink(t, answer ?? host.api())
  const x = { api_base: `${origin}${host.path}`, token: '${HOST_TOKEN}', ...question }
  const gateway = await startGateway(t, {
    ...more,
    env: { HOST_TOKEN: host.token },
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
  return { answered, seen, lines: gateway.lines }
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
    [100, 100, false, 1],
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

/** What a webhook of GitLab has, of the project or of a fork of it. */
const ofProject = (more: object, id = 51) => ({ project: { id, path_with_namespace: id === 51 ? project : 'robin/project' }, ...more })
const mergeRequestHook = ofProject({ object_kind: 'merge_request', object_attributes: { iid: 7 }, user: { username: 'robin' } })

t.test('a merge request of GitLab has the shape of a pull request, and the path of its fork is asked for', async (t) => {
  const { answered, seen } = await start(t, { gitlab: 'merge_request' })
  t.strictSame(await answered(mergeRequestHook), {
    number: 7,
    title: 'MR 7',
    state: 'open',
    draft: true,
    merged: false,
    author: 'robin',
    head: { sha: forkCommit, ref: 'master', repo: 'robin/project' },
    base: { ref: 'main', repo: project },
    labels: ['agent'],
    url: `https://gitlab.com/${project}/-/merge_requests/7`,
  })
  t.strictSame(
    seen.map(({ url }) => url),
    ['/api/v4/projects/group%2Fsub-group%2Fproject/merge_requests/7', '/api/v4/projects/52'],
  )
  const noted = ofProject({ object_kind: 'note', object_attributes: { id: 3 }, merge_request: { iid: 9, target_project_id: 51 } })
  t.match(await answered(noted), { number: 9, head: { repo: project } })
  const ofFork = ofProject({ object_kind: 'pipeline', object_attributes: { iid: 9 }, merge_request: { iid: 7, target_project_id: 51 } }, 52)
  t.match(await answered(ofFork), { number: 7 }, 'the merge request of a pipeline is not in the fork')
  const before = seen.length
  for (const kind of ['pipeline', 'issue'])
    t.equal(
      await answered(ofProject({ object_kind: kind, object_attributes: { iid: 9 }, merge_request: null })),
      null,
      `number of a ${kind}`,
    )
  t.equal(seen.length, before)
  const written = await start(t, { gitlab: 'merge_request', number: '{n}', repo: '{p}' })
  t.match(await written.answered({ n: 10, p: 51 }), { state: 'closed', merged: true })
  t.match(await written.answered({ n: 11, p: project }), { state: 'closed', merged: false, head: { repo: '' } }, 'a fork that is gone')
  t.equal(await written.answered({ n: 404, p: project }), null)
})

t.test('the path of a project of GitLab may have 20 groups, and leads to no other address', async (t) => {
  const { answered, seen } = await start(t, { gitlab: 'merge_request', number: '7', repo: '{p}' })
  const deepest = [...Array.from({ length: 20 }, (_, i) => `group-${i}`), 'project'].join('/')
  t.equal(await answered({ p: deepest }), null)
  t.equal(seen[0]?.url, `/api/v4/projects/${encodeURIComponent(deepest)}/merge_requests/7`)
  for (const p of ['project', '../../users', 'group/..', 'group/./project', 'a//b', '/a/b', 'a/b/', 'a/b?c', 'a/b\n', '0', `x/${deepest}`])
    t.match(await answered({ p }), [200, 'lookup.x: repo is not the path of a project, or its number'], p)
  t.equal(seen.length, 1)
})

t.test('a role of GitLab is the word of GitHub for what it allows', async (t) => {
  const { answered, seen } = await start(t, { gitlab: 'permission' })
  for (const [username, word] of [
    ['robin', 'maintain'],
    ['guest', 'read'],
    ['reporter', 'triage'],
    ['developer', 'write'],
    ['owner', 'admin'],
    ['stranger', 'none'],
    ['nobody', null],
  ])
    t.equal(await answered(ofProject({ user: { username } })), word, String(username))
  t.equal(await answered(ofProject({ user_username: 'robin' })), 'maintain', 'a push')
  t.match(await answered(ofProject({ user: { username: '../7' } })), [200, 'lookup.x: user is not the name of a user'])
  t.equal(await answered(ofProject({})), null)
  t.equal(seen[0]?.url, '/api/v4/users?username=robin')
  const careless: Answer = (response) => json(response, 200, [{ id: 7, username: 'robin' }])
  t.equal(await (await start(t, { gitlab: 'permission' }, careless)).answered(ofProject({ user: { username: 'mallory' } })), null)
})

t.test('changed files of GitLab come as those of GitHub', async (t) => {
  const few = await start(t, { gitlab: 'changed_files' }, gitlabApi(4))
  t.strictSame(await few.answered(mergeRequestHook), {
    paths: ['src/f0.ts', 'lib/f0.ts', 'src/f1.ts', 'src/f2.ts', 'src/f3.ts'],
    changes: [
      { path: 'src/f0.ts', status: 'renamed' },
      { path: 'src/f1.ts', status: 'modified' },
      { path: 'src/f2.ts', status: 'added' },
      { path: 'src/f3.ts', status: 'removed' },
    ],
    cut: false,
  })
  const many = await start(t, { gitlab: 'changed_files' }, gitlabApi(1000))
  const answer = (await many.answered(mergeRequestHook)) as { readonly changes: readonly object[]; readonly cut: boolean }
  t.strictSame([answer.changes.length, answer.cut, many.seen.length], [300, true, 3])
  const endless = await start(t, { gitlab: 'changed_files' }, (response) =>
    json(response, 200, [{ new_path: 'a' }], { link: '<https://x/>; rel="next"' }),
  )
  t.match(await endless.answered(mergeRequestHook), { paths: ['a'], cut: true })
  t.equal(endless.seen.length, 10, 'a page with one file each')
})

t.test('the merge request of a commit is that of the branch which was pushed', async (t) => {
  const { answered } = await start(t, { gitlab: 'merge_request_of_commit' })
  const pipeline = (ref: string, sha: string, source?: number) => ({
    object_kind: 'pipeline',
    object_attributes: { iid: 3, ref, sha },
    merge_request: source === undefined ? null : { iid: 7, source_project_id: source, target_project_id: 51 },
  })
  t.match(await answered(ofProject(pipeline('master', forkCommit, 52), 52)), { number: 7, head: { repo: 'robin/project' } })
  t.match(await answered(ofProject(pipeline('master', forkCommit, 53), 53)), { number: 8, head: { repo: 'mallory/project' } })
  t.equal(await answered(ofProject(pipeline('other', forkCommit, 52), 52)), null)
  t.match(await answered(ofProject(pipeline('topic', ownCommit))), { number: 9 })
  t.equal(await answered(ofProject(pipeline('topic', forkCommit))), null, 'only strangers have a merge request of it')
  const push = (ref: string, after: string) => ofProject({ ref: `refs/heads/${ref}`, after })
  t.match(await answered(push('topic', ownCommit)), { number: 9 })
  t.match(await answered(push('main', 'f'.repeat(40))), { number: 10, merged: true }, 'the commit of the merge')
  t.equal(await answered(push('topic', '0'.repeat(40))), null)
})

/** What a webhook of Gitea has. */
const ofGitea = (more: object) => ({ repository: { full_name: giteaRepo }, ...more })

t.test('Gitea answers as GitHub does', async (t) => {
  const pull = await start(t, { gitea: 'pull_request' })
  t.strictSame(await pull.answered(ofGitea({ number: 7 })), {
    number: 7,
    title: 'PR 7',
    state: 'open',
    draft: false,
    merged: false,
    author: 'robin',
    head: { sha: giteaForkSha, ref: 'main', repo: 'robin/web-shop' },
    base: { ref: 'main', repo: giteaRepo },
    labels: ['agent'],
    url: `https://git.example.org/${giteaRepo}/pulls/7`,
  })
  t.match(await pull.answered(ofGitea({ number: 6 })), { state: 'closed', head: { sha: '', repo: '' } })
  t.equal(await pull.answered(ofGitea({ number: 404 })), null)
  t.match(await pull.answered({ number: 7, repository: { full_name: 'acme.org/..' } }), [200, 'lookup.x: repo is not owner/name'])
  const permission = await start(t, { gitea: 'permission' })
  for (const [login, word] of [
    ['robin', 'write'],
    ['reader', 'read'],
    ['boss', 'admin'],
    ['chief', 'admin'],
    ['nobody', 'none'],
    ['gone', null],
  ])
    t.equal(await permission.answered(ofGitea({ sender: { login } })), word, String(login))
})

t.test('changed files of Gitea come in pages as long as its server allows', async (t) => {
  const few = await start(t, { gitea: 'changed_files' }, giteaApi(3))
  t.strictSame(await few.answered(ofGitea({ number: 7 })), {
    paths: ['src/f0.ts', 'lib/f0.ts', 'src/f1.ts', 'src/f2.ts'],
    changes: [
      { path: 'src/f0.ts', status: 'renamed' },
      { path: 'src/f1.ts', status: 'removed' },
      { path: 'src/f2.ts', status: 'modified' },
    ],
    cut: false,
  })
  for (const [files, most, kept, cut, pages] of [
    [50, 50, 50, false, 2],
    [70, 30, 70, false, 3],
    [1000, 50, 300, true, 6],
    [1000, 20, 200, true, 10],
  ] as const) {
    const many = await start(t, { gitea: 'changed_files' }, giteaApi(files, most))
    const answer = (await many.answered(ofGitea({ number: 7 }))) as { readonly changes: readonly object[]; readonly cut: boolean }
    t.strictSame([answer.changes.length, answer.cut, many.seen.length], [kept, cut, pages], `${files} files, ${most} a page`)
  }
})

t.test('the pull request of a commit at Gitea is searched among those that changed last', async (t) => {
  const { answered, seen } = await start(t, { gitea: 'pull_request_of_commit' })
  const run = (full_name: string, head_branch: string, head_sha = giteaForkSha) =>
    ofGitea({ workflow_run: { head_sha, head_branch, head_repository: { full_name } } })
  t.match(await answered(run('robin/web-shop', 'main')), { number: 7 })
  t.match(await answered(run('mallory/web-shop', 'main')), { number: 8 })
  t.equal(await answered(run('robin/web-shop', 'other')), null)
  seen.length = 0
  t.match(await answered(ofGitea({ after: giteaMergedSha })), { number: 10, merged: true })
  t.equal(seen.length, 1, 'Gitea knows which one was merged as a commit')
  t.match(await answered(run(giteaRepo, 'topic', giteaOwnSha)), { number: 9 }, 'on the second page')
  seen.length = 0
  t.equal(await answered(ofGitea({ after: 'c'.repeat(40) })), null)
  t.equal(seen.length, 3)
  const endless = await start(t, { gitea: 'pull_request_of_commit' }, (response, { url }) =>
    json(response, url?.includes('/commits/') ? 404 : 200, [], { link: '<https://x/>; rel="next"' }),
  )
  t.equal(await endless.answered(ofGitea({ after: 'c'.repeat(40) })), null)
  t.equal(endless.seen.length, 4)
})

t.test('an address of its own needs its path and its token, and the platform gives both else', async (t) => {
  const started = (x: object, more: GatewayOptions = {}) =>
    startGateway(t, { routes: { r: { lookup: { x }, prompt: '{lookup.x}' } }, ...more })
  const own = { gitlab: 'permission', api_base: 'https://git.example.org', token: 'x' }
  await t.rejects(started(own), /WH249 .*api_base does not end in \/api\/v4/)
  await t.rejects(started({ gitlab: 'permission', api_base: 'https://git.example.org/api/v4' }), /api_base has no token of its own/)
  await t.rejects(started({ gitea: 'permission', token: 'x' }), /WH249 .*Gitea has no address that all know/)
  const { origin, seen } = await sink(t, gitlabApi())
  const env = { GITLAB_TOKEN: gitlabToken, GITLAB_HOST: origin }
  const gateway = await started({ gitlab: 'permission' }, { env })
  t.equal((await gateway.post('r', { body: mergeRequestHook })).status, 202)
  t.equal(seen.length, 2)
  const without = await started({ gitlab: 'permission' })
  t.equal((await without.post('r', { body: mergeRequestHook })).status, 503)
  t.match(await without.line(({ stage, reason }) => stage === 'lookup' && reason !== undefined), {
    reason: 'lookup.x: not connected: set platforms.gitlab.token (GITLAB_TOKEN)',
  })
})

t.test('a host whose limit is used up is not asked again until it ends, and the metric says so', async (t) => {
  const now = 1_800_000_000
  const used = (prefix: string) => ({ [`${prefix}ratelimit-remaining`]: '0', [`${prefix}ratelimit-reset`]: String(now + 120) })
  for (const [question, status, headers, waitSeconds] of [
    [{ github: 'pull_request' }, 403, used('x-'), 120],
    [{ github: 'pull_request' }, 429, used('x-'), 120],
    [{ github: 'pull_request' }, 403, { ...used('x-'), 'x-ratelimit-reset': String(now + 86_400) }, 3_600],
    [{ gitlab: 'merge_request', repo: project }, 429, used(''), 120],
    [{ gitlab: 'merge_request', repo: project }, 429, { ...used(''), 'retry-after': '30' }, 30],
    // Gitea itself has no limit; a proxy in front of it may have one, and may not say for how long.
    [{ gitea: 'pull_request' }, 503, { 'retry-after': '30' }, 30],
    [{ gitea: 'pull_request' }, 429, {}, 60],
  ] as const) {
    const clock = steppedClock(now * 1000)
    const limited = { isNow: true }
    const host = 'gitlab' in question ? hosts.gitlab : 'gitea' in question ? hosts.gitea : hosts.github
    const answer: Answer = (response, seen) => (limited.isNow ? json(response, status, {}, headers) : host.api()(response, seen))
    const { answered, seen, lines } = await start(t, { number: '{n}', ...question }, answer, {
      clock,
      config: { metrics: { enabled: true, port: 0 } },
    })
    const about = `${host.path} ${status} ${JSON.stringify(headers)}`
    t.match(await answered({ n: 7 }), [503, new RegExp(`HTTP ${status}$`), String(waitSeconds)], about)
    clock.advance(waitSeconds * 1000 - 1)
    t.match(await answered({ n: 8 }), [503, /takes no questions now$/, '1'], about)
    t.equal(seen.length, 1, about)
    limited.isNow = false
    clock.advance(1)
    t.match(await answered({ n: 404 }), null, about)
    const metrics = await (await fetch(String(lines.find(({ msg }) => msg === 'metrics')?.url))).text()
    const [name] = Object.keys(question)
    for (const [result, count] of [
      ['limited', 2],
      ['answered', 1],
    ] as const)
      t.match(metrics, `headgate_lookups_total{lookup="${name}",result="${result}"} ${count}`, about)
  }
})

t.test('a host without room, and a hostile one, give no answer and are quoted nowhere', async (t) => {
  const tooMuch = `"${'x'.repeat(9 * 1024 * 1024)}"`
  const cases: readonly (readonly [name: string, answer: Answer, reason: RegExp, retryAfter: string])[] = [
    ['429', (r) => json(r, 429, {}, { 'retry-after': '17' }), /HTTP 429$/, '17'],
    ['a secondary limit', (r) => json(r, 403, {}, { 'retry-after': '60' }), /HTTP 403$/, '60'],
    ['no right', (r) => json(r, 403, { message: 'CANARY' }), /HTTP 403$/, '5'],
    ['a redirect', (r) => void r.writeHead(301, { location: '/CANARY' }).end(), /HTTP 301, a redirect, which is not followed$/, '5'],
    ['HTML', (r) => void r.writeHead(200).end('<html>CANARY'), /HTTP 200 without JSON$/, '5'],
    ['a list', (r) => json(r, 200, ['CANARY']), /^lookup\.x: \w+ answered with something else than a (?:pull|merge) request$/, '5'],
    ['wrong types', (r) => json(r, 200, { number: 'CANARY', iid: 1.5, state: {} }), /something else than a (?:pull|merge) request$/, '5'],
    ['too much', (r) => void r.writeHead(200).end(tooMuch), /^lookup\.x: /, '5'],
  ]
  for (const question of [
    { github: 'pull_request', number: '{n}' },
    { gitlab: 'merge_request', number: '{n}', repo: project },
    { gitea: 'pull_request', number: '{n}' },
  ])
    for (const [name, answer, reason, retryAfter] of cases) {
      const { answered } = await start(t, question, answer)
      const got = await answered({ n: 7 })
      t.match(got, [503, reason, retryAfter], name)
      t.notMatch(JSON.stringify(got), /CANARY/)
    }
})
