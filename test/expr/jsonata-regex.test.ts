import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import t from 'tap'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { BadExpression, compileJsonata } from '../../src/expr/jsonata/jsonata.ts'
import { builtInNames } from '../../src/expr/jsonata/rules.ts'
import { EvaluationRun } from '../../src/expr/jsonata/run.ts'
import { compileLiterals } from '../../src/expr/regex/literals.ts'
import { matchesNothing } from '../../src/expr/regex/no-match.ts'
import { BadPattern, checkRe2, compileRe2, compileRegex, isPlainPattern } from '../../src/expr/regex/regex.ts'
import { TooHard } from '../../src/expr/too-hard.ts'

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
        if (literal.test(subject) !== engine.test(subject)) throw new Error(`${pattern} on ${JSON.stringify(subject)}`)
    }),
    { numRuns: 5_000 },
  )
  t.ok(compared > 500, `${compared} patterns were compared`)
})

t.test('patterns are checked as the engine would compile them', async (t) => {
  const codeOf = (read: (pattern: string) => unknown, pattern: string): string => {
    try {
      read(pattern)
      return 'fine'
    } catch (error) {
      return error instanceof BadPattern ? `${error.code} ${error.message}` : String(error)
    }
  }
  const seen = new Map<string, number>()
  const compare = (pattern: string): void => {
    const [checked, compiled] = [codeOf(checkRe2, pattern), codeOf(compileRe2, pattern)]
    if (checked !== compiled) throw new Error(`${JSON.stringify(pattern)}: ${checked} / ${compiled}`)
    const kind = isPlainPattern(pattern) ? 'plain' : compiled.slice(0, 5)
    seen.set(kind, (seen.get(kind) ?? 0) + 1)
  }
  for (const pattern of ['^org-1/(api|web)-[a-z]+$', '[^a-zA-Z0-9_.-]+', '(?i)(?:a|b)?\\.\\d+', '^(?:feat|fix)\\(.*\\)!?: .+$'])
    t.ok(isPlainPattern(pattern), pattern)
  for (const pattern of ['[z-a]', '[a-f]', 'a**', '[]', '[^]', '((a))', '\\1', '(?=a)', 'a{2}', 'a|b', '(a', '\\p{L}', 'é'])
    t.notOk(isPlainPattern(pattern), pattern)
  const pieces = [
    'a',
    'z',
    '-',
    '0',
    '9',
    '[',
    ']',
    '[^',
    '[a-z',
    '(',
    ')',
    '(?:',
    '(?i)',
    '(?P<n>',
    '(?=',
    '|',
    '*',
    '+',
    '?',
    '{2}',
    '{9,1}',
    '.',
    '^',
    '$',
    '\\',
    '\\d',
    '\\.',
    '\\b',
    '\\1',
    '\\p{L}',
    ':',
    '[:alpha:]',
    ',',
    'é',
    '\n',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 10 }), (chosen) => compare(chosen.join(''))),
    { numRuns: 20_000 },
  )
  for (const kind of ['plain', 'fine', 'WH401', 'WH402']) t.ok((seen.get(kind) ?? 0) > 50, `${kind}: ${seen.get(kind)}`)
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

t.test('JSONata looks for texts as the library does', async (t) => {
  const text = 'aXbXXc'
  for (const [source, value] of [
    ['$split(text, "X")', ['a', 'b', '', 'c']],
    ['$split(text, "X", 2)', ['a', 'b']],
    ['$split(text, "X", 0)', []],
    ['$split(text, "")', ['a', 'X', 'b', 'X', 'X', 'c']],
    ['$split("", "X")', ['']],
    ['$replace(text, "X", "$0")', 'a$0b$0$0c'],
    ['$replace(text, "X", "-", 1.5)', 'a-b-Xc'],
    ['$replace(text, "X", "-", 0)', text],
    ['$substringBefore(text, "XX")', 'aXb'],
    ['$substringAfter(text, "X")', 'bXXc'],
    ['$substringAfter(text, "z")', text],
    ['$contains(text, "bX")', true],
  ] as const)
    t.same(await run(source, { text }), value, source)
  await t.rejects(run('$replace(text, "", "-")', { text }), /empty string/)
  t.equal(await run('$substringBefore(no, "X")'), undefined)
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
  t.match(said('$cnt(x)'), { message: 'there is no function $cnt: did you mean $count?', position: 4 })
  for (const source of ['x ~> $uppercas', 'x[$uppercas(a) = "A"]', '$map(x, $uppercas(?))']) t.match(said(source).message, /\$uppercase\?$/)
  const own = ['($f := function($a){ $a + 1 }; $f(2))', 'function($g){ $g(1) }($sum)', 'a@$i.b[$i(1)]', 'a#$p.$p(2)', '$$.x ~> $count']
  for (const source of own) t.doesNotThrow(() => compileJsonata(source), source)
  t.match(said('$match(x, /(?=b)/)').message, /look-around/)
})

/** What an expression comes to: its value as JSON, or why it was given up. */
const outcome = (source: string, input: Json): Promise<string> =>
  run(source, input).then(
    (value) => JSON.stringify(value) ?? 'nothing',
    (error: unknown) => `! ${error instanceof Error ? error.message : ''}`,
  )

const long = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
const list = (length: number): Json[] => Array.from({ length }, (_, i) => i)
const map = (length: number, value: Json = 1): JsonObject => Object.fromEntries(list(length).map((i) => [`k${i}`, value]))
const hidden = `${long('a', 150_000)}b${long('a', 150_000)}`

// A megabyte of what a payload may bring, unless a smaller one is worse.
const hostile: JsonObject = {
  text: long('a', 1_000_000),
  middling: long('a ', 100_000),
  hidden, // V8's own search takes minutes to look for it in `text`.
  faces: long('😀', 400_000),
  digits: long('1', 1_000_000),
  picture: '[Y,*-400000000]', // Half a gigabyte of digits.
  pictures: long('#,', 40_000),
  separator: long('b', 2_000),
  list: list(100_000),
  few: list(200),
  lists: map(10_000, [1]),
  wide: [list(100_000)],
  objects: list(20_000).map((i) => ({ [`k${i}`]: i })),
  texts: list(100_000).map(() => ''),
  keys: map(60_000),
  huge: JSON.parse('1e999') as Json,
  options: { 'grouping-separator': '' },
  past: 2 ** 53, // One more is the same number.
  ones: long('1', 90_000),
  some: map(5_000),
  below: [list(19_000)],
  unique: list(40_000).map((i) => `k${String(i)}`),
  half: JSON.parse(`${'['.repeat(1500)}1,2${']'.repeat(1500)}`) as Json,
  deep: JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as Json,
}

const tooLongText = /^! the text is too long for this function/
const tooLongList = /^! the list is too long for this function/
const tooLarge = /^! the lists and maps are too large for one step/
const tooHuge = /^! a number is too large/
const unwritten = /^! a picture must be written in the expression/
const steps = /^! the expression takes more than 50000 steps/
const tooLongResult = /^! the text would be longer than/

/** Every built-in of the library with the worst that a payload can hand it, and how that ends. */
const builtInCases: { readonly [name: string]: readonly (readonly [source: string, ends: RegExp])[] } = {
  sum: [['$sum(list)', tooLongList]],
  count: [['$count(list)', /^100000$/]],
  max: [['$max(list)', tooLongList]],
  min: [['$min(list)', tooLongList]],
  average: [['$average(list)', tooLongList]],
  string: [
    ['$string(list)', tooLongList],
    ['$string(keys)', tooLarge],
    ['$string(half, true)', /^! the indented text would be too long/],
    ['$string(deep)', tooLarge],
    ['$string(text)', /^"a+"$/],
  ],
  substring: [
    ['$substring(text, -3, 2)', /^"aa"$/],
    ['$substring(faces, 3)', tooLongText],
  ],
  substringBefore: [['$length($substringBefore(text, hidden))', /^1000000$/]],
  substringAfter: [['$length($substringAfter(text, hidden))', /^1000000$/]],
  lowercase: [['$lowercase(text)', tooLongText]],
  uppercase: [['$uppercase(text)', tooLongText]],
  length: [
    ['$length(text)', /^1000000$/],
    ['$length(faces)', tooLongText],
  ],
  trim: [['$trim(text)', tooLongText]],
  pad: [
    ['$pad("a", 300000000)', tooLongResult],
    ['$pad("a", 90000, separator)', tooLongResult],
    ['$pad("a", huge)', tooHuge],
  ],
  match: [
    ['$match(digits, /1/)', /^! the pattern/],
    ['$match(middling, /a/)', /^! the pattern/],
    ['$match($substring(digits, 0, 50000), /1.*2|1/)', /^! the pattern/],
    ['$map([1..9], function($i) { $match(ones, /1.*2|1/, 1) })', steps],
  ],
  contains: [
    ['$contains(text, hidden)', /^false$/],
    ['$contains(text, "b")', /^false$/],
  ],
  replace: [
    ['$replace(digits, "1", "22")', tooLongText],
    ['$replace(middling, /a/, separator)', tooLongResult],
    ['$replace(middling, "a", text)', tooLongText],
    ['$replace(middling, "a", $substring(text, 0, 100000))', tooLongResult],
  ],
  split: [
    ['$split(text, "")', /^! the text has more than 20000 pieces/],
    ['$count($split(text, hidden))', /^1$/],
    ['$split(middling, /a/)', /^! the pattern/],
  ],
  join: [
    ['$join(texts, separator)', tooLongList],
    ['$join($split(middling.$substring($, 0, 20000), ""), separator)', tooLongResult],
  ],
  formatNumber: [
    ['$formatNumber(1, pictures)', unwritten],
    ['$formatNumber(huge, "0.0e0")', tooHuge],
    ['$formatNumber(1000, "#,##0", options)', /^! the options of \$formatNumber/],
    ['$formatNumber(1, "0", keys)', tooLarge],
    ['$formatNumber(1000, "#,##0.0")', /^"1,000.0"$/],
  ],
  formatBase: [['$formatBase(huge, 2)', tooHuge]],
  formatInteger: [
    ['$formatInteger(1, pictures)', unwritten],
    ['$formatInteger(huge, "A")', tooHuge],
  ],
  parseInteger: [
    ['$parseInteger("1", picture)', unwritten],
    ['$parseInteger(digits, "0")', tooLongText],
  ],
  number: [['$number(digits)', tooLongText]],
  floor: [['$floor(huge)', tooHuge]],
  ceil: [['$ceil(huge)', tooHuge]],
  round: [['$round(1, huge)', tooHuge]],
  abs: [['$abs(huge)', tooHuge]],
  sqrt: [['$sqrt(huge)', tooHuge]],
  power: [['$power(huge, 2)', tooHuge]],
  random: [['$random() < 1', /^true$/]],
  boolean: [['$boolean(wide)', tooLarge]],
  not: [['$not(list)', tooLongList]],
  map: [['$map(list, $string)', tooLongList]],
  zip: [['$zip(list, list)', tooLongList]],
  filter: [
    ['$filter(list, $not)', tooLongList],
    ['$filter([1..9999], function($item, $i, $all) { $all })', steps],
    ['$filter([1..9999], function($item) { $$.keys })', tooLarge],
  ],
  single: [
    ['$single(list, $not)', tooLongList],
    ['$single([1..99], function($item, $i, $all) { $item = 5 ? $all : false })', /^5$/],
    ['$single([[1..9999], 1], $count)', /^! The \$single\(\) function expected/],
  ],
  reduce: [
    ['$reduce(list, function($a, $b) { $a + $b })', tooLongList],
    ['$reduce([1..10000], $append)', steps],
  ],
  sift: [
    ['$sift(keys, $boolean)', tooLarge],
    ['$sift(some, function($value) { $$.some })', steps],
    ['$sift({"a": 1, "b": 0}, function($value, $key) { $value and $key = "a" })', /^\{"a":1\}$/],
  ],
  keys: [
    ['$keys(keys)', tooLarge],
    ['$keys(objects)', tooLarge],
  ],
  lookup: [['$lookup(wide, "a")', tooLarge]],
  append: [['$append(list, list)', tooLongList]],
  exists: [['$exists(keys)', /^true$/]],
  spread: [['$spread(objects)', tooLarge]],
  merge: [['$merge([keys])', tooLarge]],
  reverse: [['$reverse(list)', tooLongList]],
  each: [['$each(keys, $boolean)', tooLarge]],
  error: [['$error(text)', tooLongText]],
  assert: [['$assert(false, text)', tooLongText]],
  type: [['$type(keys)', /^"object"$/]],
  sort: [
    ['$sort(list)', tooLongList],
    ['$sort([1..10000])[0]', /^1$/],
    ['$sort([1..10000], function($a, $b) { $a > $b })', /^! the list is too long to sort/],
  ],
  shuffle: [['$shuffle(list)', tooLongList]],
  distinct: [
    ['$distinct(list)', tooLongList],
    ['$count($distinct([1..10000]))', /^10000$/],
    ['$distinct(keys)', tooLarge],
  ],
  base64encode: [['$base64encode($pad(text, 0) & text & text)', /^! the text (grows too long|is too long)/]],
  base64decode: [['$length($base64decode(text))', /^750000$/]],
  encodeUrlComponent: [['$encodeUrlComponent(text)', tooLongText]],
  encodeUrl: [['$encodeUrl(text)', tooLongText]],
  decodeUrlComponent: [['$decodeUrlComponent(text)', tooLongText]],
  decodeUrl: [['$decodeUrl(text)', tooLongText]],
  eval: [['$eval("1 + 1")', /^! \$eval is not available here/]],
  toMillis: [
    ['$toMillis("2026", picture)', unwritten],
    ['$toMillis(digits)', tooLongText],
    ['$toMillis("12/2026", "[M]/[Y]")', /^\d+$/],
  ],
  fromMillis: [
    ['$fromMillis(0, picture)', unwritten],
    ['$fromMillis(0, "[Y]", digits)', tooLongText],
    ['$fromMillis(huge)', tooHuge],
    ['$fromMillis(0, "[Y]-[M01]")', /^"1970-01"$/],
  ],
  clone: [['$clone($)', tooLarge]],
  now: [
    ['$now(picture)', unwritten],
    ['$now("[Y0001]")', /^"\d{4}"$/],
  ],
  millis: [['$millis() > 0', /^true$/]],
}

t.test('every built-in of the library is bounded, and a new one fails here until somebody has looked at it', async (t) => {
  const source = readFileSync(createRequire(import.meta.url).resolve('jsonata'), 'utf8')
  const names = [...source.matchAll(/(?:staticFrame|environment)\.bind\('(\w+)'/g)].map(([, name]) => name as string)
  t.ok(names.length > 60, `${names.length} built-ins are read off the source`)
  t.same(Object.keys(builtInCases).sort(), names.sort(), 'each has its case here')
  t.same([...builtInNames].sort(), names, 'and its bounds')
  for (const [source, ends] of Object.values(builtInCases).flat()) t.match(await outcome(source, hostile), ends, source)
})

t.test('built-ins that are handed over, chained or applied in part are bounded too', async (t) => {
  t.match(await outcome('[text].$uppercase($)', hostile), tooLongText)
  t.match(await outcome('$map([text], $uppercase)', hostile), tooLongText)
  t.match(await outcome('text ~> $uppercase', hostile), tooLongText)
  t.match(await outcome('text ~> ($trim ~> $uppercase)', hostile), tooLongText)
  t.match(await outcome('($f := $formatNumber(?, pictures); $f(1))', hostile), unwritten)
  t.match(await outcome('text.$uppercase()', hostile), tooLongText)
  t.match(await outcome('($p := {"de": "#.##0", "en": "#,##0"}; $formatNumber(1000, $lookup($p, "en")))', hostile), /^"1,000"$/)
})

t.test('operators are bounded', async (t) => {
  for (const [source, ends] of [
    ['keys = keys', tooLarge],
    ['keys = $merge([])', tooLarge],
    ['list = wide', tooLarge],
    ['"" & list', tooLarge],
    ['-list', tooLarge],
    ['list + 1', tooLarge],
    ['list and true', tooLarge],
    ['list ? 1 : 2', tooLarge],
    ['1 in list', /^true$/],
    ['list[$$.wide]', tooLarge],
    ['keys.*', tooLarge],
    ['lists.*', /^! a wildcard joins 1000 lists at most/],
    ['$.*', tooLarge],
    ['$count(**)', /^! (The maximum sequence length|the lists and maps)/],
    ['deep.**', /^! (Maximum call stack size exceeded|the lists and maps)/],
    ['[1..10000000]', /^! The maximum sequence length/],
    ['[past..past]', tooHuge],
    ['[1..10000][$ in $$.list]', steps],
    ['[1..10000][$$.text in [$$.hidden]]', steps],
    ['[1..10000][$$.text = $$.hidden]', steps],
    ['[1..10000][($$.separator & $string($)) in $$.texts]', steps],
    ['[1..10000].($$.below.a)', steps],
    ['[1..10000].($$.some.**)', steps],
    ['[1..10000].($$.some.*)', steps],
    ['[1..10000]^($$.text & $string($))', steps],
    ['[1..10000]{$$.text & $string($): 1}', steps],
    ['[1..10000]{$: 1}', /^! Key in object structure must evaluate to a string/],
    ['{$$.list: 1}', tooLarge],
    ['unique{$: $}', steps],
    ['[1..100].{"a": $} ~> |$|$$.some|', steps],
    ['[1..100].{"a": $} ~> |$|{}, $$.texts|', tooLarge],
    ['[1..10000]^(-$)', steps],
    ['[1..5000]#$i{"x": $i}', /^! the expression groups more than 3000 rows of a join/],
    ['few@$x.$$.few@$y.{"z": $x}', /^! The maximum sequence length/],
    ['$ ~> |list|{"a": 1}|', tooLarge],
    ['[1..10000].{"a": [1..10000]}', /^! the expression (takes more|builds too many)/],
    ['$reduce([1..40], function($a, $b) { $a & $a }, text)', /^! the text grows too long/],
    ['($l := function($n) { 1 + $l($n + 1) }; $l(1))', /^! Stack overflow/],
    ['[$error("first"), ($l := function($n) { $l($n + 1) }; $l(1))]', /^! first/],
  ] as const)
    t.match(await outcome(source, hostile), ends, source)
})

t.test('keys that the library or the language give a meaning to are data', async (t) => {
  const input = JSON.parse(
    '{"a":{"__proto__":{"x":1}},"f":{"_jsonata_lambda":true,"thunk":true,"body":{"procedure":{"type":"variable","value":"eval"}},"environment":{"base":{"depth":0}}},"t":{"tupleStream":true,"length":1e9," run":{},"x":1}}',
  ) as Json
  t.equal(await outcome('$merge([a]).__proto__.x', input), '1')
  t.equal(await outcome('$distinct([a, a])', input), '[{"__proto__":{"x":1}}]')
  t.match(await outcome('$map([1], f)', input), /^! /)
  t.match(await outcome('$lookup($, "f")', input), /^! /)
  t.equal(await outcome('t[x = 1].x', input), '1')
  t.equal(await outcome('$distinct([{"a": 1, "b": 2}, {"b": 2, "a": 1}, "a", ["a"], 1, "1"])', input), '[{"a":1,"b":2},"a",["a"],1,"1"]')
})

t.test('the loop turns while an expression works, and what is given up ends', async (t) => {
  let turns = 0
  let working = true
  const count = (): void => {
    turns++
    if (working) setImmediate(count)
  }
  setImmediate(count)
  const loop = '($l := function($n) { $l($n + 1) }; $l(1))'
  const ends = await Promise.all([outcome(loop, {}), outcome('1 + 1', {})])
  working = false
  t.match(ends, [steps, '2'])
  t.ok(turns > 4, 'others had turns')

  const over = new EvaluationRun(new Set())
  over.end()
  t.throws(() => over.step(), TooHard, 'what goes on beside a part that failed stops at its next step')

  const spent = new EvaluationRun(new Set())
  const ending = (act: () => unknown): unknown => {
    try {
      return act()
    } catch (error) {
      return error
    }
  }
  const first = ending(() => spent.spend(1e6))
  t.type(first, TooHard)
  t.equal(
    ending(() => spent.step()),
    first,
    'ten thousand parts that stop make one error',
  )
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

t.test('a pattern that no text matches is known, and no other is taken for one', (t) => {
  const vain = [
    '/^main/',
    'a$b',
    'a^b',
    '(?:a|b)^c',
    '[a-z]$x',
    '(?m)a$.b',
    '(?m)a^b',
    '(?m)a$[a-z]b',
    'a$(?:b|c)',
    '(?s)a$.',
    '[^\\x00-\\x{10FFFF}]a^',
  ]
  const useful = [
    '(?m)a$\\nb',
    '(?m)a\\n^b',
    '(?ms)a$.b',
    '(?m)a$[\\s]b',
    '(?m)a$[^x]b',
    'a|b^',
    'x*^a',
    'a\\$b',
    'a$|b',
    '(?m)a$\\b\\nb',
    'a$$',
    '(a$)',
  ]
  for (const pattern of vain) t.ok(matchesNothing(pattern), pattern)
  for (const pattern of useful) t.notOk(matchesNothing(pattern), pattern)
  t.end()
})
