import fc from 'fast-check'
import t from 'tap'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { BadExpression, compileJsonata } from '../../src/expr/jsonata.ts'
import { compileLiterals } from '../../src/expr/literals.ts'
import { BadPattern, compileRe2, compileRegex, TooHard } from '../../src/expr/regex.ts'

const run = (source: string, input: Json = {}): Promise<Json | undefined> => compileJsonata(source)(input)

t.test('patterns search, with flags and named groups', async (t) => {
  t.ok(compileRegex('(?i)fix(?P<n>es)?').test('it FIXES'))
  t.ok(compileRegex('(?<n>é)😀$').test('é😀'))
  t.notOk(compileRegex('^b').test('ab'))
  t.ok(compileRegex('').test(''))
})

t.test('patterns of fixed texts are compared as texts, and mean what the engine means', async (t) => {
  for (const pattern of ['^(fix|feat)', '^refs/heads/main$', 'a|^b|c$', '^Coder(?:to|2)cat$', 'v1\\.2', '', '^$', '(a|b)(c|d)'])
    t.ok(compileLiterals(pattern), pattern)
  for (const pattern of [
    'a+',
    'a?',
    'a{2}',
    '[ab]',
    'a.c',
    '\\d',
    '(?i)a',
    '(?<n>a)',
    'a^b',
    'a$b',
    '(a$)',
    '(a',
    'a)',
    '\\',
    '(a|b)'.repeat(7),
  ]) {
    t.equal(compileLiterals(pattern), undefined, pattern)
  }
  const piece = fc.constantFrom('a', 'b', '/', '\\.', '|', '(', ')', '(?:', '^', '$', 'é', '?', '[')
  const patterns = fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join(''))
  const texts = fc.array(fc.constantFrom('a', 'b', '/', '.', 'é', '\n'), { maxLength: 6 }).map((units) => units.join(''))
  let compared = 0
  fc.assert(
    fc.property(patterns, fc.array(texts, { minLength: 8, maxLength: 8 }), (pattern, subjects) => {
      const literal = compileLiterals(pattern)
      if (!literal) return
      compared++
      const engine = compileRe2(pattern)
      for (const subject of subjects)
        if (literal(subject) !== engine.test(subject)) throw new Error(`${pattern} on ${JSON.stringify(subject)}`)
    }),
    { numRuns: 5_000 },
  )
  t.ok(compared > 500, `${compared} patterns were compared`)
})

t.test('a bad pattern says what is wrong with it', async (t) => {
  const codeOf = (pattern: string): string => {
    try {
      compileRegex(pattern)
      return 'fine'
    } catch (error) {
      t.ok(error instanceof BadPattern)
      return error instanceof BadPattern ? `${error.code} ${error.message}` : ''
    }
  }
  for (const pattern of ['(', '[a', '*', 'a**', '\\p{Nope}', 'a{2000}', '(?>a)', 'a'.repeat(1025), '\\\\1(', '(((a{100}){100}){100})'])
    t.match(codeOf(pattern), /^WH401 /, pattern.slice(0, 20))
  for (const pattern of ['(?=a)', 'a(?!b)', '(?<=a)b', '(?<!a)b']) t.match(codeOf(pattern), /^WH402 .*look-around/)
  for (const pattern of ['(a)\\1', '(?<n>a)\\k<n>']) t.match(codeOf(pattern), /^WH402 .*back-reference/)
  t.equal(codeOf('[(?=]\\\\1'), 'fine')
})

t.test('patterns that ruin backtracking engines are decided on a megabyte', async (t) => {
  const long = (unit: string): string => `b=xyz${unit.repeat(1_000_000)}!`
  for (const [pattern, text, holds] of [
    ['^(a+)+$', long('a').slice(5), false],
    ['(a|a)+b$', long('a'), false],
    ['\\s+$', long(' '), false],
    ['(x+x+)+y$', long('x'), false],
    ['.*.*=.*', long('a'), true],
    ['(?i)(.*)x(.*)y(.*)z$', long('a'), false],
    ['(a{0,100}){0,10}b$', long('a'), false],
    ['([a-z]+)*\\d$', long('a'), false],
  ] as const)
    t.equal(compileRegex(pattern).test(text), holds, pattern)
})

t.test('a pattern whose automaton explodes on a text is given up, and works again on the next', async (t) => {
  let bit = 1
  const noise = Array.from({ length: 300_000 }, () => {
    bit = (bit * 1_103_515_245 + 12_345) % 2_147_483_648
    return bit > 1_073_741_824 ? 'a' : 'b'
  }).join('')
  for (const pattern of ['(?s)a.{900}$', 'a.{20}b.{20}!$', '(.{0,1000})z$']) {
    const regex = compileRegex(pattern)
    t.throws(() => regex.test(`!z${noise}.`), TooHard, pattern)
    t.type(regex.test('short!z'), 'boolean')
  }
  t.ok(compileRegex('a.{20}b.{20}!$').test(`a${'x'.repeat(20)}b${'x'.repeat(20)}!`))
})

t.test('JSONata works: functions, patterns, partial application', async (t) => {
  const input = { title: 'Fix: a-b-c', list: [3, 1, 2], commits: [{ id: 'a' }, { id: 'b' }] }
  t.equal(await run('$uppercase(title) & $pad("x", 3, "#")', input), 'FIX: A-B-Cx##')
  t.same(await run('$match(title, /([a-z])-/)', input), [
    { match: 'a-', index: 5, groups: ['a'] },
    { match: 'b-', index: 7, groups: ['b'] },
  ])
  t.equal(await run('$replace(title, /(\\w)-(\\w)/, "$2+$1")', input), 'Fix: b+a-c')
  t.same(await run('$split(title, /[-:]\\s*/)', input), ['Fix', 'a', 'b', 'c'])
  t.equal(await run('$contains(title, /FIX/i) and $contains(title, /^c/m) = false', input), true)
  t.same(await run('[$sort(list), $distinct([1, 1, 2])]', input), [1, 2, 3, 1, 2])
  t.same(await run('$map(commits.id, $length)', input), [1, 1])
  t.equal(await run('($p := $pad(?, 5, "#"); $p("x"))'), 'x####')
  t.equal(await run('$string({"a": [1]}, true)'), '{\n  "a": [\n    1\n  ]\n}')
  t.equal(await run('$substring("hello", 1, 2)'), 'el')
})

t.test('nothing, functions and inherited names give nothing', async (t) => {
  for (const source of ['nope', '$uppercase', 'function($x) { $x }', 'title.constructor', '__proto__', '$lookup($, "constructor")'])
    t.equal(await run(source, { title: 'x' }), undefined, source)
})

t.test('a bad expression is said with its place', async (t) => {
  for (const source of ['1 +', '(', '"a', '$f(', '/a/ & /(?=b)/', '/(a)\\1/', 'x'.repeat(4097)])
    t.throws(() => compileJsonata(source), BadExpression, source.slice(0, 20))
  const said = (source: string): BadExpression => {
    try {
      compileJsonata(source)
    } catch (error) {
      if (error instanceof BadExpression) return error
    }
    throw new Error('no BadExpression')
  }
  t.equal(said('1 + + 2').position, 5)
  t.match(said('$match(x, /(?=b)/)').message, /look-around/)
})

t.test('what runs away is stopped with a plain error', async (t) => {
  const list = Array.from({ length: 100_000 }, (_, i) => i)
  const input = {
    list,
    objects: list.map((i) => ({ [`k${i}`]: 1 })),
    lists: Object.fromEntries(list.slice(0, 60_000).map((i) => [`k${i}`, [1]])),
    digits: '1'.repeat(1_000_000),
    half: JSON.parse(`${'['.repeat(1500)}1,2${']'.repeat(1500)}`) as Json,
    deep: JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)) as Json,
  }
  for (const source of [
    '($l := function($n) { 1 + $l($n + 1) }; $l(1))',
    '($l := function($n) { $l($n + 1) }; $l(1))',
    '$sum([1..10000000])',
    '$length($pad("a", 300000000))',
    '$eval("1 + 1")',
    '$distinct(list)',
    '$sort(list)',
    '$spread(objects)',
    'lists.*',
    '$count(**)',
    '$string(half, true)',
    '$string(deep)',
    '$replace(digits, "1", "22")',
    '$match(digits, /1/)',
    '$match($substring(digits, 0, 50000), /1.*2|1/)',
    '$reduce(list, function($a, $b) { $a + $b })',
  ]) {
    const error = await run(source, input).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    t.ok(error instanceof Error && error.message.length > 0 && error.message.length < 300, source)
  }
})

t.test('an expression leaves the payload as it was', async (t) => {
  const input = { a: [1, [2, 3]], b: { c: [{ d: [1] }, { d: [2] }] }, e: [[]], f: ['x'] }
  const before = JSON.stringify(input)
  // JSONata may mark a list with `keepSingleton`, which is no item and in no JSON.
  const bare = (value: Json): boolean => {
    if (typeof value !== 'object' || value === null) return true
    const names = Object.getOwnPropertyNames(value).filter((name) => !['length', 'keepSingleton'].includes(name))
    const isWhole = !Array.isArray(value) || names.length === value.length
    return isWhole && names.every((name) => bare((value as JsonObject)[name] as Json))
  }
  for (const source of [
    'a[]',
    '$',
    '$$.a',
    'b.c.d[]',
    'b.c^(>d)',
    '$sort(a[0])',
    '$append(f, a)',
    'e[0][]',
    '$reverse(a)',
    'b ~> |c|{"d": 5}, "x"|',
    'b.c.d{$string(): $}',
    '$merge(b.c)',
    'f[0]',
    '**',
    'a@$x#$i.{"x": $x}',
  ])
    await run(source, input as JsonObject).catch(() => {})
  t.equal(JSON.stringify(input), before)
  t.ok(bare(input as JsonObject))
})
