/** `.env`: one rule, the same as that of shells, systemd and docker where they agree, and a word on every line where they do not. */

import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { parseDotEnv } from '../../src/config/dot-env.ts'
import { fakeCli } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'

const read = (line: string): string | undefined => parseDotEnv(line).env.A
const oddities = (text: string) =>
  parseDotEnv(text).oddities.map(({ code, line, column, message }) => `${code}@${line}:${column} ${message}`)

t.test('a comment begins at the start of a line or after a blank, nowhere else', async (t) => {
  t.same(parseDotEnv('# A=1\n  # A=2\n\n \t\nB=p#ssw0rd\nC=#x\nD=a #b\nE=a\t# b\nF=##\nG= # x').env, {
    B: 'p#ssw0rd',
    C: '#x',
    D: 'a',
    E: 'a',
    F: '##',
    G: '',
  })
  t.same(oddities('A=p#ssw0rd\nB=#x\nC=\n# x'), [])
})

t.test('quotes are taken off, only a backslash before \\ " $ ` is in double ones, and nothing is expanded', async (t) => {
  t.equal(read(`A='a b #c $x \\n "'`), 'a b #c $x \\n "')
  t.equal(read('A="a b #c $x \\n \' \\" \\\\ \\$ \\`"'), 'a b #c $x \\n \' " \\ $ `')
  t.equal(read('A="a\nb # c\n" # d'), 'a\nb # c\n')
  t.equal(read('A="a\\\nb"'), 'ab')
  t.equal(read("A='' #x"), '')
  t.equal(read('A=a\\b$c`d`'), 'a\\b$c`d`')
  t.equal(read("A=it's"), "it's")
  t.equal(read('A=a b  '), 'a b')
  t.equal(read('  export A = a'), 'a')
  t.equal(read('A=1\nA=2'), '2')
  t.equal(read('\ufeffA=1\r\nB=2\r\n'), '1')
})

t.test('each line that others read differently is told with its place, and nothing of its value', async (t) => {
  const cases: [line: string, column: number, message: RegExp][] = [
    ['A=canary #x', 10, /begins a comment/],
    ['A=canary  ', 9, /docker takes the blanks/],
    ["A='canary'", 3, /docker takes the quotes/],
    ['A="canary"', 3, /docker takes the quotes/],
    ['A="canary$x"', 3, /a shell replaces \$/],
    ["A='canary\nx'", 3, /docker reads each line/],
    ['A=canary$x', 9, /a shell replaces \$/],
    ['A=canary\\x', 9, /backslash/],
    ['A=canary`x', 9, /backticks/],
    ["A=canary's", 9, /quote/],
    ['A=canary x', 9, /ends the value here/],
    ['A=canary;x', 9, /ends the value here/],
    ['A=~/canary', 3, /home folder/],
    ['A=can\u0000ary', 6, /control character/],
    ['A= canary', 2, /no blank beside =/],
    ['A =canary', 3, /no blank beside =/],
    [' export A=canary', 2, /"export"/],
    ['canary', 1, /not of the form NAME=value/],
    ['a-b=canary', 1, /not of the form/],
    ['; canary', 1, /not of the form/],
    ['A=canary\r', 9, /CR LF/],
    ['\ufeffA=canary', 1, /byte order mark/],
  ]
  for (const [line, column, message] of cases) {
    const { oddities } = parseDotEnv(`B=1\n${line}`.replace('B=1\n\ufeff', '\ufeffB=1\n'))
    t.match(oddities, [{ code: 'WH008', column, message, help: /./ }], JSON.stringify(line))
    t.equal(oddities[0]?.line, line.startsWith('\ufeff') ? 1 : 2)
    t.notMatch(JSON.stringify(oddities), 'canary')
  }
})

t.test('quotes that do not end, or text after them, are errors; the lines that follow are read', async (t) => {
  t.same(oddities('A="canary\nB=2'), ['WH007@1:3 A: the quotes that begin here do not end: the line is skipped'])
  t.same(oddities("A='it'\\''s'\nB=2"), [
    'WH007@1:3 A: the quotes that begin here end on line 1, and more follows them: the line is skipped',
  ])
  t.match(oddities('A="x\nB="2"'), [/^WH007@1:3/, /^WH008@2:3/])
  t.same(parseDotEnv('A="x\nB="2"').env, { B: '2' })
})

t.test('what is read without a word, a shell and docker read alike', async (t) => {
  const file = join(newFolder(t), '.env')
  const char = fc.constantFrom(...'ab1#$"\'\\` \t=;~:/!*{},%@+-?[]^é'.split(''))
  const line = fc.oneof(fc.string({ unit: char, maxLength: 8 }), fc.string({ unit: 'grapheme-ascii', maxLength: 12 }))
  fc.assert(
    fc.property(fc.array(line, { minLength: 50, maxLength: 50 }), (values) => {
      const text = values.map((value, i) => `V${i}=${value}`)
      const silent = text.filter((each) => parseDotEnv(each).oddities.length === 0)
      const { env } = parseDotEnv(silent.join('\n'))
      writeFileSync(file, silent.join('\n'))
      const shell = execFileSync('sh', ['-c', 'set -a; . "$0"; exec env -0', file], { env: { HOME: '/h' } })
      for (const [name, value] of Object.entries(env)) {
        t.ok(silent.includes(`${name}=${value}`), 'docker takes the line as it is')
        t.ok(`\0${shell.toString('utf8')}`.includes(`\0${name}=${value}\0`), `${name}=${value}`)
      }
    }),
    { numRuns: 20 },
  )
})

t.test('validate names file, line and column, in a profile too; an unreadable line fails it', async (t) => {
  const cli = fakeCli(t, {
    'config.yaml': 'gateway: { multiplex_profiles: true }\nplatforms: { webhook: { enabled: true } }\n',
    '.env': 'WEBHOOK_PORT=9000\nX=canary # note\n',
    'profiles/office/config.yaml': '',
    'profiles/office/.env': 'Y=canary\\\n',
  })
  const { code, out } = await cli.run('validate', '--format', 'concise')
  t.equal(code, 0)
  t.match(out, /\.env:2:10: WH008 warning: X: # after a blank begins a comment/)
  t.match(out, /office\/.env:1:9: WH008 warning: Y: a shell and systemd take the backslash away/)
  t.notMatch(out, 'canary')
  cli.write('.env', 'WEBHOOK_SECRET="canary\n')
  chmodSync(cli.file('.env'), 0o600)
  t.match(await cli.run('validate', '--format', 'concise'), { code: 1, out: /\.env:1:16: WH007 error: WEBHOOK_SECRET: the quotes/ })
  cli.write('.env', `A=${'a'.repeat(1_100_000)}`)
  t.match(await cli.run('validate'), { code: 1, out: /WH003.*larger than 1048576 bytes/ })
})
