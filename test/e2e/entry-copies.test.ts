/**
 * The files of subscriptions are copies of the entries that gateways on one database share: the first start of gateways, changes of files
 * by hand, and a database that is away.
 */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type OwnServer, startPostgresServer, withoutOwnPostgres } from '../fakes/postgres-server.ts'
import { command, startGateway } from '../fakes/process-gateway.ts'
import { answers, entriesOf, ok, routeEntry, routeOptions, said, sharedDirectories, writeEntries } from '../fakes/shared-gateways.ts'
import { until } from '../fakes/wait.ts'

const subscriptions = 'webhook_subscriptions.json'

t.test('gateways on one database', { skip: withoutOwnPostgres }, async (t) => {
  const server: OwnServer = await startPostgresServer(true)
  t.teardown(() => server.stop())

  await t.test('the first start takes the entries of the file over, and later ones keep what only they have', async (t) => {
    const [a = '', b = ''] = sharedDirectories(t, server, 2)
    writeEntries(a, { one: routeEntry })
    writeEntries(b, { one: routeEntry, two: routeEntry })
    const first = await startGateway(t, a)
    t.match(await said(first, /had no entries/), /everybody's now: one/)
    const second = await startGateway(t, b)
    const words = await said(second, /was replaced/)
    t.match(words, /webhook_subscriptions\.json\.local has what only the file had \(two\)/)
    await answers(t, second, 'one', 200)
    t.same(Object.keys(entriesOf(b)), ['one'])
    t.same(Object.keys(entriesOf(b, `${subscriptions}.local`)), ['one', 'two'])
    // The message asks for this: entries that are to stay are written into the file again.
    writeEntries(b, entriesOf(b, `${subscriptions}.local`))
    t.match(await said(second, /by hand/), /everybody's now: two/)
    await answers(t, first, 'two', 200)
  })

  await t.test('a file that is no copy any more: unusable, missing, or changed while others changed theirs', async (t) => {
    const [a = '', b = ''] = sharedDirectories(t, server, 2)
    const first = await startGateway(t, a)
    ok(t, a, 'webhook', 'subscribe', 'one', ...routeOptions)
    await answers(t, first, 'one', 200)
    rmSync(join(a, subscriptions))
    await until(() => existsSync(join(a, subscriptions)))
    writeFileSync(join(a, subscriptions), '{"one": ')
    await said(first, /not valid JSON/)
    await answers(t, first, 'one', 200)
    t.equal(command({ dir: a }, 'webhook', 'disable', 'one').status, 6, 'nothing is written over a file that cannot be read')
    ok(t, b, 'webhook', 'subscribe', 'two', ...routeOptions)
    await answers(t, first, 'two', 200)
    t.equal(readFileSync(join(a, `${subscriptions}.local`), 'utf8'), '{"one": ')
  })

  await t.test('the database is away: nothing is saved, the last copy is served and shown', async (t) => {
    const [a = '', b = ''] = sharedDirectories(t, server, 2)
    const first = await startGateway(t, a)
    ok(t, b, 'webhook', 'subscribe', 'one', ...routeOptions)
    await answers(t, first, 'one', 200)
    await server.kill()
    const refused = command({ dir: a }, 'webhook', 'subscribe', 'two', ...routeOptions)
    t.equal(refused.status, 4)
    t.match(refused.stderr, /the database cannot be opened.*\n.*check that the server runs/)
    const shown = command({ dir: b }, 'webhook', 'list')
    t.match(shown, { status: 0, stdout: /^one / })
    t.match(shown.stderr, /as they were last heard of: the database cannot be opened/)
    await said(first, /stay as they were last heard of/)
    const ignored = await first.post('one', 'x', { key: routeEntry.secret })
    t.match(ignored, { status: 200, json: { status: 'ignored' } })
    await server.start()
    ok(t, b, 'webhook', 'subscribe', 'two', ...routeOptions)
    await answers(t, first, 'two', 200)
  })
})
