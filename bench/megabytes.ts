/** Makes signed bodies of up to a megabyte, each costly for something: for a parser, a printer, a filter, a pattern, a schema. */

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

/** Signed bodies that are read in one way, each costly for those who read in this way. */
export type Reading = { readonly type: string; readonly bodies: { readonly [what: string]: string } }

const filled = (head: string, unit: string, tail: string): string =>
  head + unit.repeat(Math.floor((megabyte - head.length - tail.length) / Buffer.byteLength(unit))) + tail
const joined = (count: number, make: (i: number) => string): string => Array.from({ length: count }, (_, i) => make(i)).join('')
const listOf = (make: (i: number) => string): string => {
  const items: string[] = []
  for (let left = megabyte - 2; left > 0; left -= (items.at(-1)?.length ?? 0) + 1) items.push(make(items.length))
  return `[${items.slice(0, -1).join()}]`
}

/** The boundary of the multipart bodies. */
const boundary = 'b'
const part = (name: string, text: string): string => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`

/** The bodies by what reads them: each kind of body that is taken, and a payload schema. */
export const readings: { readonly [reading: string]: Reading } = {
  JSON: { type: 'application/json', bodies: megabytes },
  'payload schema': {
    type: 'application/json',
    bodies: {
      'different numbers': listOf(String),
      'numbers of two doubles': listOf((i) => `${10_000_000_000_000_000_000n + BigInt(i)}`),
      'different texts': listOf((i) => `"${i.toString(36)}"`),
      'different lists': listOf((i) => `[${i}]`)
        .slice(0, -1)
        .concat(']'),
      'different maps': listOf((i) => `{"a":${i},"b":1,"c":"x"}`),
      'different rows': listOf((i) => `{${Array.from({ length: 25 }, (_, k) => `"key${k}":${i}`).join()}}`),
    },
  },
  XML: {
    type: 'application/xml',
    bodies: {
      'one text': filled('<a>', 'x', '</a>'),
      'line ends': filled('<a>', '\r\n', '</a>'),
      'character references': filled('<a>', '&#9;', '</a>'),
      'blanks in an attribute': filled('<a b="', '\t', '"/>'),
      'dashes in a comment': filled('<a><!--', '- ', '--></a>'),
      'brackets in CDATA': filled('<a><![CDATA[', ']x', ']]></a>'),
      'an instruction': filled('<?p ', '? ', '?><a/>'),
      'many elements': `<a>${joined(19_000, (i) => `<e${i}>${'x'.repeat(38)}</e${i}>`)}</a>`,
      'many attributes': `<a ${joined(19_900, (i) => `b${i}="${'x'.repeat(38)}" `)}/>`,
    },
  },
  form: {
    type: 'application/x-www-form-urlencoded',
    bodies: {
      'one field': filled('a=', 'x', ''),
      escapes: filled('a=', '%41', ''),
      blanks: filled('a=', '+', ''),
      'many fields': joined(999, (i) => `k${i}=${'%41'.repeat(330)}&`).slice(0, -1),
      'JSON in a field': filled('payload=%5B1', '%2C1', '%5D'),
    },
  },
  multipart: {
    type: `multipart/form-data; boundary=${boundary}`,
    bodies: {
      'one part': `${part('a', 'x'.repeat(megabyte - 100))}--${boundary}--\r\n`,
      'many parts': `${joined(999, (i) => part(`k${i}`, 'x'.repeat(930)))}--${boundary}--\r\n`,
      'nearly boundaries': `${part('a', `\r\n--${boundary.repeat(2)}`.repeat(160_000))}--${boundary}--\r\n`,
    },
  },
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
  field('not_in', ['zz', { a: 1 }]),
  field('gt', 5),
  field('gte', '2026-01-01'),
  field('lt', { length: 400_000 }),
  field('lte', { length: 700_000 }),
  field('any_item', { any: [{ equals: 'zz' }, { field: 'v', any_item: { starts_with: 'zz' } }] }),
  field('every_item', { not: { equals_field: 'v' } }),
  field('starts_with', 'zz'),
  field('ends_with', 'zz'),
  field('equals_field', 'v'),
  field('matches_glob', ['**/*a*/**/*b*', '{a,b}*']),
  field('in_file', 'list.txt'),
  field('regex', '^(a+)+$|(a|aa)+b|\\s+$'),
  { jsonata: 'payload.v = "zz" or $count($keys(payload)) > 1e9' },
]

/** Routes that look at such bodies in every way there is. */
export const curiousRoutes = {
  nop: {},
  raw: { prompt: '{__raw__} {v} {v.0} {v.v.v}' },
  expressions: { prompt: `{= $string(v) } {= v } ${'{= event } {= k7 } '.repeat(5)}` },
  // Each condition is evaluated, whatever the condition before gives.
  schema: { payload_schema: 'unique.json' },
  operators: { filters: operators.map((condition) => ({ any: [condition, { not: condition }] })) },
}

/** The files that these routes name, by their names in the data directory. */
export const curiousFiles = { 'list.txt': 'zz', 'unique.json': '{"uniqueItems":true}' }
