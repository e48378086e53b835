/** Comments through the real gh, past what the table of all targets shows. */

import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/core/clock.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { githubComment as part } from '../../src/parts/targets/code-host/github-comment.ts'
import { createKeep } from '../../src/parts/targets/delivery/keep.ts'
import { settingsOf } from '../../src/parts/targets/delivery/settings.ts'
import type { Outgoing, Sent } from '../../src/parts/targets/target.ts'
import { adopt } from '../fakes/adopt.ts'
import { ownComments } from '../fakes/own-comments.ts'
import { type Double, type Reply, startDouble } from '../fakes/platforms/double.ts'
import { githubComment, hasGh } from '../fakes/platforms/github.ts'

const keep = createKeep(adopt)

const where = { repo: 'octo-org/octo.repo', pr_number: '42' }
const about = { text: 'hello', profile: 'default', route: 'r', deliveryId: 'd1', position: 0, budgetMs: 20_000 }

type SendOptions = Partial<Outgoing> & { readonly extra?: JsonObject; readonly settings?: JsonObject }

const run = async (t: Test, double: Double = githubComment) => {
  const running = await startDouble(t, double)
  const env = double.surroundings?.(running.origin) ?? {}
  const send = ({ extra = where, settings = double.settings(running.origin), ...more }: SendOptions = {}): Promise<Sent> =>
    part.send(
      { ...about, delivery: { target: 'github_comment', extra }, ...more },
      { settings: settingsOf(part, { github: settings }, env), env, log: () => {}, clock: systemClock, keep, mark: ownComments.mark },
    )
  return { ...running, send, posts: () => running.seen.filter(double.posts).length }
}

t.test('the real gh', { skip: hasGh() ? false : 'gh is not installed' }, async (t) => {
  t.test('it looks, and posts', async (t) => {
    const { send, seen, accepted } = await run(t)
    const text = `@-file "quoted" 😀 ${'x'.repeat(200_000)}`
    t.same(await send({ text }), { ok: true, detail: 'https://github.com/octo-org/octo.repo/issues/42#c99' })
    t.match(seen, [{ path: '/graphql' }, { path: '/repos/octo-org/octo.repo/issues/42/comments' }])
    t.match(accepted, [{ text: /^@-file "quoted" 😀 x+\n\n\[cut/u }])
  })

  t.test('what was posted is never posted again, whatever became of the answer', async (t) => {
    for (const reply of [{ status: 502, body: '<html>' }, { status: 201, body: {} }, 'silence'] satisfies (Reply | 'silence')[]) {
      let isBroken = true
      const { send, accepted } = await run(t, {
        ...githubComment,
        answer(request, ...more) {
          const answer = githubComment.answer(request, ...more)
          return isBroken && githubComment.posts(request) ? reply : answer
        },
      })
      t.match(await send({ budgetMs: 1_500 }), { ok: false, repeatable: true, retryAfterMs: 5_000 })
      isBroken = false
      t.match(await send(), { ok: true, detail: /#c1 \(there already\)$/ })
      t.equal(accepted.length, 1)
    }
    t.equal(part.repeatable, true)
  })

  t.test('the mark of a stranger, or one in the middle of a text, keeps no comment back', async (t) => {
    const { send, accepted } = await run(t)
    await send()
    const [comment] = accepted.splice(0)
    const { chat = '', text = '', key = '' } = comment ?? {}
    t.match(key, /headgate:/)
    accepted.push({ chat, text: `STRANGER ${text}`, key }, { chat, text: `quoted: ${text}${key} and more`, key: '' })
    t.match(await send(), { ok: true, detail: /#c99$/ })
    t.equal(accepted.length, 3)
  })

  t.test('a comment of the same delivery is found by its mark, whatever its text, also by the mark of an older version', async (t) => {
    const { send, accepted } = await run(t)
    await send()
    const [{ chat = '' } = {}] = accepted
    t.match(await send({ text: 'another text' }), { ok: true, detail: /there already/ })
    accepted.length = 0
    const digest = createHash('sha256')
      .update(JSON.stringify(['default', 'r', '', 'd1', 0, 'octo-org/octo.repo#42']))
      .digest('hex')
    accepted.push({ chat, text: 'hello', key: `\n\n<!-- headgate:${digest.slice(0, 40)} -->` })
    t.match(await send(), { ok: true, detail: /there already/ })
    t.match(await send({ deliveryId: 'd2' }), { ok: true, detail: /#c99$/ })
  })

  t.test('what the host says of a failure', async (t) => {
    const { send, next, posts } = await run(t)
    next.push({ status: 404, body: { message: 'Not Found' } })
    t.match(await send(), { repeatable: false, why: 'gh: Not Found (HTTP 404)' })
    next.push({ status: 403, body: { message: 'You have exceeded a secondary rate limit' }, headers: { 'retry-after': '60' } })
    t.match(await send(), { repeatable: true, retryAfterMs: 60_000 })
    next.push({ status: 422, body: { message: 'Validation Failed', errors: [{ message: 'body is too long' }] } })
    t.match(await send(), { repeatable: false, why: /HTTP 422/ })
    const before = posts()
    t.match(await send({ extra: { ...where, repo: 'octo-org/gone' } }), { repeatable: false, why: /Could not resolve/ })
    t.match(await send({ settings: {} }), { repeatable: false, why: /not logged in/ })
    t.equal(posts(), before, 'nothing was posted')
  })

  t.test('where the token may not look it comments all the same, says so, and does not repeat what may have arrived', async (t) => {
    const forbidden = { data: { repository: null }, errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }] }
    const denials: Reply[] = [
      { status: 200, body: forbidden },
      { status: 403, body: { message: 'Resource not accessible by personal access token' } },
      { status: 404, body: { message: 'Not Found' } },
    ]
    let denial: Reply | undefined
    const { send, accepted, next, posts } = await run(t, {
      ...githubComment,
      answer: (request, ...more) => (request.path === '/graphql' && denial) || githubComment.answer(request, ...more),
    })
    for (denial of denials) {
      const told: string[] = []
      accepted.length = 0
      t.match(await send({ onlyOnce: (why) => told.push(why) }), { ok: true, detail: /#c99$/ })
      t.equal(accepted.length, 1)
      t.match(told, [/may not look for earlier comments \(gh: .*could not be recognised/])
      for (const reply of [
        { status: 502, body: '<html>' },
        { status: 201, body: {} },
      ]) {
        next.push(reply)
        t.match(await send(), { ok: false, repeatable: false })
      }
      next.push({ status: 429, body: { message: 'You have exceeded a secondary rate limit' } })
      t.match(await send(), { ok: false, repeatable: true, retryAfterMs: 60_000 }, 'nothing was posted')
      const before = posts()
      t.match(await send({ doubtful: true }), { ok: false, repeatable: false, why: /may have arrived.*retry by hand/ })
      const stopped = () => {
        throw new Error('too late')
      }
      await t.rejects(send({ onlyOnce: stopped }), { message: 'too late' })
      t.equal(posts(), before)
    }
    const before = posts()
    for (denial of [
      { status: 502, body: '<html>' },
      { status: 403, body: { message: 'You have triggered an abuse detection mechanism.' } },
    ])
      t.match(await send(), { ok: false, repeatable: true }, 'whether it is there can be told later')
    denial = { status: 401, body: { message: 'Bad credentials' } }
    t.match(await send(), { ok: false, repeatable: false, why: /HTTP 401/ })
    t.equal(posts(), before)
  })

  t.test('a host of its own', async (t) => {
    const { send, seen } = await run(t)
    t.match(await send({ settings: { host: 'git.corp.example', token: 'ghp_canary_corp_token' } }), { ok: true })
    t.match(seen, [{ path: '/api/graphql' }, { path: '/api/v3/repos/octo-org/octo.repo/issues/42/comments' }])
  })
})
