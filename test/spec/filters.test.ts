import { readFileSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hexHmac, type Post, startGateway } from '../fakes/gateway.ts'
import { delivery } from '../fakes/webhooks.ts'

const opened = delivery('pull_request', 'opened')
const push = delivery('push')

type Rule = {
  readonly filters: unknown
  readonly yes?: readonly unknown[]
  readonly no?: readonly unknown[]
  readonly headers?: Post['headers']
}

const rules: { readonly [title: string]: Rule } = {
  'all top-level entries must pass': {
    filters: [{ field: 'action', in: ['opened', 'reopened'] }, { not: { field: 'pull_request.draft', equals: true } }],
    yes: [opened, { action: 'reopened' }],
    no: [
      { ...opened, action: 'closed' },
      { action: 'opened', pull_request: { draft: true } },
    ],
  },
  'a single condition stands without a list': { filters: { field: 'a', equals: 1 }, yes: [{ a: 1 }], no: [{ a: 2 }] },
  'exists: true': { filters: [{ field: 'a.b', exists: true }], yes: [{ a: { b: null } }], no: [{ a: {} }, {}, [], null, '"a"'] },
  'exists: false': { filters: [{ field: 'a.b', exists: false }], yes: [{ a: {} }, []], no: [{ a: { b: null } }] },
  'missing: true': { filters: [{ field: 'after', missing: true }], yes: [opened], no: [push] },
  'equals compares JSON deeply, with its types': {
    filters: [{ field: 'a', equals: { x: [1, { y: null }], z: 'é' } }],
    yes: [{ a: { z: 'é', x: [1, { y: null }] } }],
    no: [{ a: { z: 'é', x: [1] } }, { a: { z: 'é', x: [1, { y: null }], more: 1 } }, { a: '{"x":[1,{"y":null}],"z":"é"}' }, {}],
  },
  'equals a real field': {
    filters: [{ field: 'repository.private', equals: false }],
    yes: [opened],
    no: [{ repository: { private: 'false' } }],
  },
  'not_equals, also of a missing field': {
    filters: [{ field: 'sender.type', not_equals: 'Bot' }],
    yes: [opened, {}, { sender: 'Bot' }],
    no: [{ sender: { type: 'Bot' } }],
  },
  'contains: a text in a text': {
    filters: [{ field: 'ref', contains: 'tags/' }],
    yes: [push],
    no: [{ ref: 'refs/heads/main' }, { ref: null }, {}],
  },
  'contains: an item of a list': {
    filters: [{ field: 'topics', contains: 'api' }],
    yes: [{ topics: ['a', 'api'] }],
    no: [{ topics: ['apis'] }, { topics: [['api']] }],
  },
  'contains: a key of a dictionary': {
    filters: [{ field: 'repository', contains: 'full_name' }],
    yes: [opened, { repository: { full_name: null } }],
    no: [{ repository: { name: 'full_name' } }],
  },
  'contains: the text of a number or boolean': {
    filters: [{ field: 'a', contains: '42' }],
    yes: [{ a: 1422 }],
    no: [{ a: 24 }, { a: true }],
  },
  'contains knows no inherited key': {
    filters: [{ field: 'a', contains: 'constructor' }],
    yes: [{ a: { constructor: 1 } }],
    no: [{ a: {} }],
  },
  'in: one of a list, with its type': {
    filters: [{ field: 'n', in: [1, 'two', null] }],
    yes: [{ n: 1 }, { n: 'two' }, { n: null }],
    no: [{ n: '1' }, { n: 2 }, {}],
  },
  'regex searches': {
    filters: [{ field: 'pull_request.title', regex: 'README' }],
    yes: [opened],
    no: [{ pull_request: { title: 'readme' } }, {}, { pull_request: { title: ['README'] } }],
  },
  'regex takes (?i) and named groups': {
    filters: [{ field: 'a', regex: '(?i)^(?P<kind>fix|feat):' }],
    yes: [{ a: 'FIX: b' }],
    no: [{ a: 'a fix:' }],
  },
  'regex is linear: a pattern that ruins others is decided': {
    filters: [{ field: 'a', regex: '^(a+)+$' }],
    yes: [{ a: 'a'.repeat(9000) }],
    no: [{ a: `${'a'.repeat(9000)}!` }],
  },
  'starts_with and ends_with: of a text, a number or a boolean': {
    filters: [
      { field: 'ref', starts_with: 'refs/tags/' },
      { field: 'n', ends_with: 4 },
      { field: 'b', starts_with: 'tr' },
    ],
    yes: [
      { ref: 'refs/tags/v1', n: 404, b: true },
      { ref: 'refs/tags/', n: '4', b: 'try' },
    ],
    no: [
      { ref: 'REFS/TAGS/', n: 4, b: true },
      { ref: ['refs/tags/'], n: 4, b: true },
      { ref: 'refs/tags/', n: { 4: 4 }, b: true },
      { ref: 'refs/tags/', n: 4, b: null },
      {},
    ],
  },
  'a number past 2^53 counts by its digits': {
    filters: { field: 'id', ends_with: '93' },
    yes: ['{"id":9007199254740993}'],
    no: ['{"id":9007199254740992}'],
  },
  'not_in: none of a list, also of a missing field': {
    filters: [{ field: 'user', not_in: ['bot', 1, null, { a: 1 }] }],
    yes: [{ user: 'ann' }, {}, { user: '1' }, { user: ['bot'] }],
    no: [{ user: 'bot' }, { user: 1 }, '{"user":1.0}', { user: null }, { user: { a: 1 } }],
  },
  'equals_field: two fields are the same, deeply': {
    filters: [{ field: 'a', equals_field: 'b.c' }],
    yes: [
      { a: 1, b: { c: 1 } },
      '{"a":[1.0,{"y":null,"x":9007199254740993}],"b":{"c":[1,{"x":9007199254740993,"y":null}]}}',
      { a: null, b: { c: null } },
      `{"a":${'['.repeat(40_000)}${']'.repeat(40_000)},"b":{"c":${'['.repeat(40_000)}${']'.repeat(40_000)}}}`,
    ],
    no: [
      { a: 1, b: { c: '1' } },
      '{"a":9007199254740993,"b":{"c":9007199254740992}}',
      { a: { x: 1 }, b: { c: { x: 1, y: 1 } } },
      { a: {}, b: { c: [] } },
      '{"a":{"__proto__":1},"b":{"c":{"x":1}}}',
      { a: 1, b: {} },
      { b: { c: 1 } },
      {},
    ],
  },
  'equals_field reads whatever a field can name': {
    filters: [
      { field: 'event', equals_field: 'headers.x-custom' },
      { field: 'method', equals_field: 'request.method' },
    ],
    headers: { 'X-Custom': 'push', 'X-GitHub-Event': 'push' },
    yes: [{ method: 'POST' }],
    no: [{ method: 'GET' }],
  },
  'matches_glob: a pattern of the whole text, or one of a list, or of an item': {
    filters: [{ field: 'files', matches_glob: ['docs/**', '**/*.{md,txt}', '[!a-c]?'] }],
    yes: [
      { files: 'docs/a/b' },
      { files: 'a.md' },
      { files: 'x/y/z.txt' },
      { files: 'd1' },
      { files: ['src/a.ts', 'docs/.hidden'] },
      { files: 'docs/a\nb' },
    ],
    no: [
      { files: 'docs' },
      { files: 'src/docs/a' },
      { files: 'a.mdx' },
      { files: 'a1' },
      { files: '/1' },
      { files: [['docs/a'], { a: 'docs/a' }, null] },
      { files: { 'docs/a': 1 } },
      { files: [] },
      {},
    ],
  },
  'matches_glob is linear: a pattern that ruins others is decided': {
    filters: { field: 'a', matches_glob: `${'*a'.repeat(40)}**/**/**/b` },
    no: [
      { a: 'a'.repeat(100_000) },
      { a: 'a/'.repeat(50_000) },
      { a: Array.from({ length: 20_000 }, () => 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa') },
    ],
  },
  'any_item: one item of a list': {
    filters: { field: 'commits', any_item: { field: 'author.name', starts_with: 'a' } },
    yes: [{ commits: [{}, { author: { name: 'ann' } }] }, { commits: [null, 1, [], { author: { name: 'a' } }] }],
    no: [
      { commits: [{ author: { name: 'bob' } }, 'ann'] },
      { commits: [] },
      { commits: { 0: { author: { name: 'ann' } } } },
      { commits: 'ann' },
      {},
    ],
  },
  'any_item: a condition without a field looks at the item, and several must all hold for one': {
    filters: [
      { field: 'labels', any_item: { equals: 'bug' } },
      { field: 'sizes', any_item: [{ gt: 3 }, { lt: 5 }] },
    ],
    yes: [{ labels: ['docs', 'bug'], sizes: [1, 4, 9] }],
    no: [
      { labels: ['docs'], sizes: [4] },
      { labels: ['bug'], sizes: [1, 9] },
      { labels: [['bug']], sizes: [4] },
    ],
  },
  'every_item: all items, and none is enough': {
    filters: { field: 'files', every_item: { starts_with: 'docs/' } },
    yes: [{ files: ['docs/a', 'docs/b'] }, { files: [] }],
    no: [{ files: ['docs/a', 'src/b'] }, { files: ['docs/a', null] }, { files: {} }, { files: 'docs/a' }, {}],
  },
  'items nest, with groups and other fields of the event': {
    filters: {
      field: 'commits',
      any_item: {
        all: [
          { field: 'author', equals_field: 'pusher' },
          { not: { field: 'files', any_item: { not: { ends_with: '.md' } } } },
          { any: [{ field: 'files', every_item: { all: [] } }, { missing: true }] },
        ],
      },
    },
    yes: [{ pusher: 'ann', commits: [{ author: 'bob' }, { author: 'ann', files: ['a.md'] }] }],
    no: [
      { pusher: 'ann', commits: [{ author: 'ann', files: ['a.md', 'b.ts'] }] },
      { pusher: 'ann', commits: [{ author: 'bob', files: ['a.md'] }] },
    ],
  },
  'a field of an item has no names of the event': {
    filters: { field: 'v', any_item: { field: 'event', equals: 'push' } },
    headers: { 'X-GitHub-Event': 'push' },
    yes: [{ v: [{ event: 'push' }] }],
    no: [{ v: [{}] }, { v: ['push'] }],
  },
  'numbers of items are exact': {
    filters: { field: 'v', any_item: { field: 'id', equals: 9007199254740992 } },
    yes: ['{"v":[{"id":9007199254740992}]}'],
    no: ['{"v":[{"id":9007199254740993}]}'],
  },
  'changed_files: the paths of all commits of a push, once each, in order': {
    filters: [
      { field: 'changed_files', equals: ['b', 'a', 'c'] },
      { field: 'changed_files', any_item: { matches_glob: '[a-c]' } },
      { field: 'changed_files.1', equals: 'a' },
    ],
    yes: [
      {
        commits: [
          { added: [], modified: ['b'], removed: ['a'] },
          'no',
          null,
          [],
          { added: ['c', 1, null, ['d']], modified: 'e', removed: ['b'] },
        ],
      },
      { changed_files: ['b', 'a', 'c'], commits: [{ added: ['d'] }] },
      { payload: { changed_files: 1 }, commits: [{ added: ['b', 'a', 'c'] }] },
    ],
    no: [{ commits: [{ added: ['b', 'a'] }] }, { changed_files: 3, commits: [{ added: ['b', 'a', 'c'] }] }, { changed_files: null }],
  },
  'changed_files: empty for a push without commits, missing where no commit lists files': {
    filters: [{ field: 'changed_files', equals: [] }],
    yes: [{ commits: [] }, { commits: [{ removed: [] }] }],
    no: [{ commits: [{ id: 1 }] }, { commits: {} }, {}, [], null, '"text"', { pull_request: { commits: [] } }],
  },
  'payload.changed_files is a key of the payload alone': {
    filters: [{ field: 'payload.changed_files', exists: true }],
    yes: [{ changed_files: 1 }, { payload: { changed_files: 1 } }],
    no: [{ commits: [{ added: ['a'] }] }, push],
  },
  'a part in single quotes is one key': {
    filters: [
      { field: "labels.'app.kubernetes.io/name'", equals: 1 },
      { field: "'a.b'.0.''", exists: true },
      { field: "payload.'it''s.x'", equals_field: 'headers.x-custom' },
    ],
    headers: { 'X-Custom': 'v' },
    yes: [{ labels: { 'app.kubernetes.io/name': 1 }, 'a.b': [{ '': null }], "it's.x": 'v' }],
    no: [
      { labels: { app: { kubernetes: { 'io/name': 1 } } }, 'a.b': [{ '': null }], "it's.x": 'v' },
      { labels: { "'app.kubernetes.io/name'": 1 }, 'a.b': [{ '': null }], "it's.x": 'v' },
      { labels: { 'app.kubernetes.io/name': 1 }, a: { b: [{ '': null }] }, "it's.x": 'v' },
      {},
    ],
  },
  'a quoted key has exact numbers and no inherited members': {
    filters: { field: "a.'__proto__'.'n.n'", equals_field: 'b' },
    yes: ['{"a":{"__proto__":{"n.n":9007199254740993}},"b":9007199254740993}'],
    no: ['{"a":{"__proto__":{"n.n":9007199254740992}},"b":9007199254740993}', '{"a":{"n.n":9007199254740993},"b":9007199254740993}'],
  },
  'all, any and not nest': {
    filters: [{ any: [{ all: [{ field: 'a', equals: 1 }, { not: { field: 'b', exists: true } }] }, { field: 'c', equals: 3 }] }],
    yes: [{ a: 1 }, { a: 1, b: 1, c: 3 }],
    no: [{ a: 1, b: 1 }, {}],
  },
  'an empty all is true': { filters: [{ all: [] }], yes: [{}, null] },
  'an empty any is false': { filters: [{ any: [] }], no: [{}, opened] },
  'no conditions: all pass': { filters: [], yes: [{}, 1] },
  'a missing field makes every value operator but not_equals false': {
    filters: {
      any: [
        ...['equals', 'contains'].map((operator) => ({ field: 'no', [operator]: '' })),
        { field: 'no', in: [null] },
        { field: 'no', regex: '.*' },
        { field: 'no', in_file: 'list.txt' },
      ],
    },
    no: [{}, opened],
  },
  'a missing field passes not equals': { filters: { not: { field: 'no', equals: 1 } }, yes: [{}], no: [{ no: 1 }] },
  'payload.x reads from a top-level payload object, else from the root': {
    filters: { field: 'payload.x', equals: 1 },
    yes: [{ x: 1 }, { payload: { x: 1 } }, { payload: 'text', x: 1 }],
    no: [{ payload: {}, x: 1 }, { payload: { payload: { x: 1 } } }],
  },
  'numeric parts index lists': {
    filters: { field: 'commits.0.author.name', equals: 'ann' },
    yes: [{ commits: [{ author: { name: 'ann' } }] }],
    no: [{ commits: [] }, { commits: [{ author: 'ann' }] }],
  },
  'own properties only': {
    filters: {
      any: ['__proto__', 'constructor', 'a.length', 'a.0', 'toString.name', 'headers.constructor'].map((field) => ({
        field,
        exists: true,
      })),
    },
    no: [{ a: 'text' }, {}, [], '"text"'],
  },
  'an own key of a strange name is read': { filters: { field: '__proto__.a', equals: 1 }, yes: ['{"__proto__":{"a":1}}'], no: [{ a: 1 }] },
  'event and event_type are the resolved event type': {
    filters: [
      { field: 'event', equals: 'issues' },
      { field: 'event_type', equals: 'issues' },
    ],
    headers: { 'X-HostA-Event': 'issues' },
    yes: [{}, { event: 'other', event_type: 'other' }],
  },
  'headers.Name reads a header in any letter case, under both names': {
    filters: [
      { field: 'headers.x-CUSTOM', equals: 'v' },
      { field: 'headers.X-HostA-Event', equals: 'push' },
      { field: 'headers.X-GitHub-Event', equals: 'push' },
    ],
    headers: { 'X-Custom': 'v', 'X-GitHub-Event': 'push' },
    yes: [push],
  },
  'headers.Name of another value, or none': {
    filters: { field: 'headers.x-custom', equals: 'v' },
    headers: { 'X-Customs': 'v' },
    no: [{ 'x-custom': 'v' }],
  },
  'in_file: a text, one value a line': {
    filters: { field: 'u', in_file: 'list.txt' },
    yes: [{ u: 'ann' }, { u: 12 }],
    no: [{ u: 'an' }, { u: '' }, { u: ['ann'] }],
  },
  'in_file: a JSON array': { filters: { field: 'u', in_file: 'sub/list.json' }, yes: [{ u: 'bob' }, { u: 7 }], no: [{ u: 'ann' }] },
  'in_file: the keys of a JSON object': {
    filters: { field: 'u', in_file: 'map.json' },
    yes: [{ u: 'cy' }],
    no: [{ u: 'value' }, { u: 'constructor' }],
  },
  'jsonata: over payload, event and headers, must give true': {
    filters: { jsonata: 'event = "push" and $count(payload.commits) > 1 and headers."x-custom" = "v"' },
    headers: { 'X-GitHub-Event': 'push', 'X-Custom': 'v' },
    yes: [{ commits: [1, 2] }],
    no: [{ commits: [1] }, {}],
  },
  'jsonata: something that is not true does not pass': {
    filters: { jsonata: 'payload.a' },
    yes: [{ a: true }],
    no: [{ a: 'true' }, { a: 1 }, {}, '{"a":{"b":1e400}}'],
  },
}

t.test('Filter conditions', async (t) => {
  const titles = Object.keys(rules)
  const routes = Object.fromEntries(Object.values(rules).map(({ filters }, i) => [`r${i}`, { filters }]))
  const files = { 'list.txt': 'ann\r\n 12 \n\n', sub: { 'list.json': '["bob", 7, null]' }, 'map.json': '{"cy":"value"}' }
  const gateway = await startGateway(t, { routes, files })
  for (const [i, title] of titles.entries()) {
    t.test(title, async (t) => {
      const { yes = [], no = [], headers = {} } = rules[title] as Rule
      for (const body of yes) t.equal((await gateway.post(`r${i}`, { body, headers })).status, 202, JSON.stringify(body).slice(0, 80))
      for (const body of no) {
        const answer = await gateway.post(`r${i}`, { body, headers })
        t.same(answer.json, { status: 'ignored', reason: 'filter', route: `r${i}` }, JSON.stringify(body).slice(0, 80))
      }
    })
  }
})

t.test('in_file is read again when it changed: time, size or inode', async (t) => {
  const gateway = await startGateway(t, { routes: { r: { filters: { field: 'u', in_file: 'l.txt' } } }, files: { 'l.txt': 'ann' } })
  const file = join(gateway.dir, 'l.txt')
  const passes = async (u: string): Promise<boolean> => (await gateway.post('r', { body: { u } })).status === 202
  t.ok(await passes('ann'))
  writeFileSync(file, 'ann\nbob')
  t.ok(await passes('bob'), 'another size')
  const at = new Date(1_700_000_000_000)
  utimesSync(file, at, at)
  t.ok(await passes('bob'))
  writeFileSync(`${file}.new`, 'ann\ncyn')
  utimesSync(`${file}.new`, at, at)
  renameSync(`${file}.new`, file)
  t.ok(await passes('cyn'), 'the same size and time, another inode')
  t.notOk(await passes('bob'))
})

t.test('in_file stays inside the profile directory, links resolved; what cannot be decided does not pass under not either', async (t) => {
  const outside = '/etc/passwd'
  const u = readFileSync(outside, 'utf8').split('\n')[0]
  const filters = (file: string): unknown => ({ field: 'u', in_file: file })
  const up = `${'../'.repeat(20)}etc/passwd`
  const gateway = await startGateway(t, {
    routes: {
      up: { filters: filters(up) },
      root: { filters: filters(outside) },
      link: { filters: filters('link') },
      not: { filters: { not: filters('link') } },
    },
  })
  symlinkSync(outside, join(gateway.dir, 'link'))
  for (const route of ['up', 'root', 'link', 'not']) t.equal((await gateway.post(route, { body: { u } })).json.reason, 'filter', route)
})

t.test('what is wrong with a filter stops the start', async (t) => {
  const wrong: { readonly [title: string]: readonly [unknown, RegExp] } = {
    'two operators in one condition': [{ field: 'a', equals: 1, exists: true }, /exactly one operator/],
    'no operator': [{ field: 'a' }, /exactly one operator/],
    'an unknown operator': [{ field: 'a', equal: 1 }, /equal/],
    'an operator without its field': [{ equals: 1 }, /field/],
    'look-ahead in a pattern': [{ field: 'a', regex: '(?=a)' }, /WH402/],
    'a back-reference in a pattern': [{ field: 'a', regex: '(a)\\1' }, /WH402/],
    'a malformed pattern': [{ field: 'a', regex: '(' }, /WH401/],
    'a malformed JSONata expression': [{ jsonata: '1 +' }, /WH412/],
  }
  for (const [title, [filter, message]] of Object.entries(wrong)) {
    t.test(title, async (t) => {
      await t.rejects(startGateway(t, { routes: { r: { filters: [filter] } } }), { message })
    })
  }
})

t.test('fields of the request: its query is read as a form is, and no payload can stand for it', async (t) => {
  const long = `${'x=1&'.repeat(63)}team=core`
  const cases: readonly (readonly [field: string, condition: object, query: string, holds: boolean, body?: object])[] = [
    ['request.query.team', { equals: 'core & co' }, '?team=core+%26%20co', true],
    ['request.query.team', { equals: 'core' }, '', false, { request: { query: { team: 'core' } } }],
    ['payload.request.query.team', { equals: 'core' }, '?team=other', true, { request: { query: { team: 'core' } } }],
    ['request.id', { equals: 7 }, '?id=8', true, { request: { id: 7 } }],
    ['request.query.team', { equals: ['a', 'b'] }, '?team=a&Team=c&team=b', true],
    ['request.query.team', { contains: 'b' }, '?team=a&team=b', true],
    ['request.query.hub.mode', { equals: '' }, '?hub.mode', true],
    ['request.query.team', { equals: '%zz' }, '?team=%zz', true],
    ['request.query.__proto__', { equals: 'x' }, '?__proto__=x', true],
    ['request.query.constructor', { exists: false }, '?a=b', true],
    ['request.query.team', { equals: 'core' }, `?${long}`, true],
    ['request.query.team', { missing: true }, `?x=1&${long}`, true],
    ['request.method', { equals: 'POST' }, '?method=PUT', true, { request: { method: 'PUT' } }],
    ['request.path', { equals: '/webhooks/c13' }, '?team=core', true, { request: { path: '/' } }],
  ]
  const routes = Object.fromEntries(cases.map(([field, condition], i) => [`c${i}`, { filters: [{ field, ...condition }] }]))
  const expression = 'request.query.team = "core" and request.path = "/webhooks/asked"'
  const gateway = await startGateway(t, {
    routes: {
      ...routes,
      asked: { filters: [{ jsonata: expression }], prompt: 'of {= request.query.team }, {= request.method }' },
      hidden: { filters: [{ field: 'request.query.key', equals: 'an-open-door' }] },
    },
  })
  for (const [i, [field, , query, holds, body = {}]] of cases.entries()) {
    const answer = await gateway.post(`c${i}`, { body, path: `/webhooks/c${i}${query}` })
    t.equal(answer.status, holds ? 202 : 200, `${field} of ${query.slice(-30)}`)
  }
  t.equal((await gateway.post('asked', { path: '/webhooks/asked?team=core' })).status, 202)
  t.match(await gateway.line(({ msg, route }) => msg === 'delivered' && route === 'asked'), { text: 'of core, POST' })
  t.equal((await gateway.post('hidden', { path: '/webhooks/hidden?key=another-door' })).status, 200)
  t.match(await gateway.line(({ route, outcome }) => route === 'hidden' && outcome === 'ignored'), { route: 'hidden' })
  const body = '{}'
  const target = `http://hooks.example:8443/webhooks/asked?team=core`
  const head = [
    `POST ${target} HTTP/1.1`,
    'Host: hooks.example',
    `Content-Length: ${body.length}`,
    'Connection: close',
    `X-Webhook-Signature: ${hexHmac(body)}`,
  ]
  t.match(await gateway.raw(`${head.join('\r\n')}\r\n\r\n${body}`), /^HTTP\/1\.1 202 /, 'an absolute target has the same path and query')
  t.notMatch(JSON.stringify(gateway.lines), /(?:an-open|another)-door/, 'a parameter that names a secret is not logged')
})
