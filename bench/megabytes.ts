/** Bodies of up to a megabyte, each costly for something: for a parser, a printer, a filter, a pattern. */

const megabyte = 1_000_000
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

export const megabytes: { readonly [what: string]: string } = {
  'nested arrays': nested(megabyte / 2 - 3),
  'nested objects': `${'{"v":'.repeat(150_000)}1${'}'.repeat(150_000)}`,
  'nested in a field': `{"v":${nested(megabyte / 2 - 6)}}`,
  'as many lists as are taken': `[${Array(99_999).fill('[]').join()}]`,
  'one string': JSON.stringify({ v: 'a'.repeat(megabyte - 8) }),
  'a string of quotes': JSON.stringify({ v: '"'.repeat(megabyte / 2 - 8) }),
  'not ASCII': JSON.stringify({ v: '\u{1f600}'.repeat(megabyte / 4 - 8) }),
  '60,000 keys': JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, i]))),
  'one key': JSON.stringify({ ['k'.repeat(megabyte - 8)]: 1 }),
  'numbers as long as they get': `{"v":${'9'.repeat(megabyte - 8)}}`,
  'numbers of 20,000 digits': `{"v":[${Array.from({ length: 45 }, () => '9'.repeat(20_000)).join()}]}`,
  'long integers': `{"v":[${Array.from({ length: 47_000 }, () => '12345678901234567890').join()}]}`,
  'small numbers': `{"v":[${Array.from({ length: 490_000 }, () => '1').join()}]}`,
  infinite: '{"v":1e400,"w":-1e400}',
  'strange keys': '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"v":{"__proto__":{"polluted":1}}}',
}

const field = (operator: string, operand: unknown): object => ({ field: 'v', [operator]: operand })

/** One condition with every operator. */
const operators = [
  field('exists', false),
  field('missing', true),
  field('equals', { a: [[[[1]]]] }),
  field('not_equals', [1]),
  field('contains', 'zz'),
  field('in', ['zz', { a: 1 }]),
  field('in_file', 'list.txt'),
  field('regex', '^(a+)+$|(a|aa)+b|\\s+$'),
  { jsonata: 'payload.v = "zz" or $count($keys(payload)) > 1e9' },
]

/** Routes that look at such bodies in every way there is. */
export const curiousRoutes = {
  nop: {},
  raw: { prompt: '{__raw__} {v} {v.0} {v.v.v}' },
  expressions: { prompt: `{= $string(v) } {= v } ${'{= event } {= k7 } '.repeat(5)}` },
  // Each condition is evaluated, whatever the one before gives.
  operators: { filters: operators.map((condition) => ({ any: [condition, { not: condition }] })) },
}
