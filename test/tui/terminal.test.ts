/** The editor gives the terminal back as it was, however it ends, and sends it nothing of what others wrote. In a real pseudo-terminal. */

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { fakeCli } from '../fakes/cli.ts'
import { commandsIn, commented, main, openEditor } from '../fakes/editor.ts'
import { newFolder } from '../fakes/folder.ts'
import { works } from '../fakes/process.ts'
import { type FakeTerminal, keys, openTerminal } from '../fakes/terminal.ts'
import { until } from '../fakes/wait.ts'

/** What was there before is there again, with the cursor below it. */
const isGivenBack = (terminal: FakeTerminal): boolean =>
  !terminal.isAlternate() && terminal.lines()[0] === 'the line before' && terminal.written().includes('\u001b[?25h')

/** Data directories with the commented configuration. */
const folders = <Name extends string>(t: Test, ...names: readonly Name[]): { readonly [name in Name]: string } => {
  const dir = newFolder(t, Object.fromEntries(names.map((name) => [name, { 'config.yaml': commented }])))
  return Object.fromEntries(names.map((name) => [name, join(dir, name)])) as { [name in Name]: string }
}

t.test('a signal: the changes are kept, and the terminal is given back', async (t) => {
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const dirs = folders(t, ...signals, 'window')
  const ended = async (signal: (typeof signals)[number]): Promise<void> => {
    const editor = openEditor(t, { dir: dirs[signal] })
    await editor.describe('other words')
    editor.kill(signal)
    t.equal(await editor.exited, codes[signal], signal)
    t.ok(isGivenBack(editor), `${signal}: given back`)
    t.match(editor.text(), /^the line before\nyour changes are kept as /, signal)
    t.equal(editor.drafts().length, 1, `${signal}: a draft`)
  }
  const closed = async (): Promise<void> => {
    const editor = openEditor(t, { dir: dirs.window })
    await editor.describe('other words')
    editor.hangUp()
    t.ok(await until(() => editor.drafts().length === 1), 'a window that is closed: a draft')
  }
  await Promise.all([...signals.map(ended), closed()])
})

t.test('a mistake of ours: one sentence on the terminal as it was, exit 3, and the changes are kept', async (t) => {
  const { thrown, rejected } = folders(t, 'thrown', 'rejected')
  const failing = async (dir: string, mistake: string, args: readonly string[], said: RegExp): Promise<void> => {
    const script = join(dir, 'mistake.mjs')
    writeFileSync(script, `process.on('SIGUSR2', () => { ${mistake} })\n`)
    const editor = openEditor(t, {
      dir,
      args: ['pr-review', ...args],
      env: { NODE_OPTIONS: `--import=${script}`, NO_COLOR: '1' },
      columns: 200,
    })
    await editor.describe('other words')
    editor.kill('SIGUSR2')
    t.equal(await editor.exited, 3, mistake)
    t.ok(isGivenBack(editor), `${mistake}: given back`)
    t.match(editor.text(), said)
    t.equal(editor.drafts().length, 1, `${mistake}: a draft`)
  }
  await Promise.all([
    failing(
      thrown,
      "throw new TypeError('a is not b')",
      [],
      /^the line before\nerror: the editor failed: a is not b\n {2}your changes are kept as \S+$/,
    ),
    failing(
      rejected,
      "Promise.reject(new RangeError('too far'))",
      ['--verbose'],
      /RangeError: too far\n\s+at [\s\S]*error: the editor failed: too far\n/,
    ),
  ])
})

t.test('with --mouse the wheel moves and a click chooses a row; the reports are switched off, however it ends', async (t) => {
  const dirs = folders(t, 'left', 'killed', 'without')
  const reports = /\u001b\[\?100[06][hl]/g
  const mouse = ['pr-review', '--mouse']
  const open = async (dir: string, args = mouse) => {
    const editor = openEditor(t, { dir, args })
    await editor.see('> Mode')
    return editor
  }
  const [left, killed, without] = await Promise.all([open(dirs.left), open(dirs.killed), open(dirs.without, ['pr-review'])])
  left.press('\u001b[<65;5;5M', '\u001b[<65;5;5M')
  await left.see('> Enabled')
  left.press('\u001b[<64;5;5M')
  await left.see('> Description')
  const prompt = left.lines().findIndex((text) => /^ *Prompt/.test(text))
  left.press(`\u001b[<0;12;${prompt + 1}M\u001b[<0;12;${prompt + 1}m`)
  await left.see('> Prompt')
  left.press(keys.enter)
  await left.see('prompt of pr-review')
  left.press('\u001b[<0;3;3M\u001b[<0;3;3m', keys.escape)
  await left.see('> Prompt')
  t.notMatch(left.text(), 'modified', 'no report is text')
  left.press('q')
  t.equal(await left.exited, 0)
  killed.kill('SIGTERM')
  t.equal(await killed.exited, 143)
  for (const editor of [left, killed])
    t.same(editor.written().match(reports), ['\u001b[?1000h', '\u001b[?1006h', '\u001b[?1006l', '\u001b[?1000l'])
  without.press('q')
  await without.exited
  t.equal(without.written().match(reports), null)
})

t.test('in lines: a signal keeps the changes and says where, and no secret is echoed', async (t) => {
  const signals = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const
  const names = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const
  const dirs = folders(t, ...names, 'secret')
  const open = async (dir: string) => {
    const editor = openEditor(t, { dir, args: ['pr-review', '--screen-reader'], rows: 80 })
    await editor.see(/Description: looks at changes/)
    return editor
  }
  const rowOf = (editor: FakeTerminal, title: string): string => new RegExp(`(\\d+) of \\d+: ${title}`).exec(editor.text())?.[1] ?? ''
  const ended = async (signal: (typeof names)[number]): Promise<void> => {
    const editor = await open(dirs[signal])
    editor.press(rowOf(editor, 'Description'), keys.enter)
    await editor.see('Type the text')
    editor.press('other words', keys.enter)
    await editor.see('Description: other words')
    editor.kill(signal)
    t.equal(await editor.exited, signals[signal], signal)
    t.match(editor.text(), /\nyour changes are kept as \S+$/, signal)
    t.equal(editor.drafts().length, 1, `${signal}: a draft`)
  }
  const hidden = async (): Promise<void> => {
    const editor = await open(dirs.secret)
    editor.press(rowOf(editor, 'Secret'), keys.enter)
    await editor.see('What you type is not shown.')
    editor.press('canary-canary-canary', keys.enter)
    await editor.see('Secret: set')
    t.notMatch(editor.written(), 'canary')
    editor.press('list', keys.enter)
    await editor.see(/^list$/m)
    editor.press(keys.endOfFile)
    t.equal(await editor.exited, 0)
    t.match(editor.text(), /your changes are kept as \S+$/)
    t.match(readFileSync(join(dirs.secret, '.drafts', 'pr-review.json'), 'utf8'), 'canary-canary-canary')
  }
  await Promise.all([...names.map(ended), hidden()])
})

t.test('^z stops it, and fg goes on in a terminal of another size', { skip: !works('bash', '--version') && 'needs bash' }, async (t) => {
  const { a } = folders(t, 'a')
  const shell = openTerminal(t, ['bash', '--norc', '--noprofile', '-i'], { columns: 110, env: { HEADGATE_HOME: a, PS1: 'ready> ' } })
  await shell.see('ready>')
  shell.press(`'${process.execPath}' '${main}' edit pr-review\r`)
  await shell.see('Description')
  shell.press('\u001a')
  await shell.see(/Stopped[\s\S]*ready>/)
  t.notOk(shell.isAlternate(), 'the terminal is the shell’s')
  shell.press('echo $((6 * 7))\r')
  await shell.see(/^42$/m)
  shell.resize(70, 20)
  shell.press('fg\r')
  await shell.see('Description')
  t.ok(shell.isAlternate())
  shell.press('j', keys.enter)
  await shell.see('(description)')
  // The row above the last one of the new size has the hints.
  await shell.see(/ esc back\n$/)
  t.equal(shell.lines().length, 20)
  shell.press(keys.escape)
  await shell.see('> Description')
  shell.press('q')
  await shell.see(/fg\n[\s\S]*ready>/)
  t.notOk(shell.isAlternate())
})

t.test('any size: what fits is shown, the cursor stays, and q works', async (t) => {
  const { a } = folders(t, 'a')
  const editor = openEditor(t, { dir: a })
  await editor.see(/> Mode .* │ TRACE/)
  editor.press('j')
  await editor.see(/> Description/)
  editor.resize(60, 16)
  await editor.gone('TRACE')
  await editor.see(/> Description/)
  editor.press(keys.tab)
  await editor.see('TRACE')
  editor.press(keys.tab)
  editor.resize(39, 30)
  await editor.see('too small: 39x30')
  editor.resize(160, 40)
  await editor.see(/> Description .* │ +1 body_size .* │ +description:/)
  t.equal(editor.lines().length, 40)
  editor.resize(80, 9)
  await editor.see(/too small: 80x9, needs 40x10; q quits/)
  editor.press('q')
  t.equal(await editor.exited, 0)
  t.ok(isGivenBack(editor))
})

t.test('while nothing happens nothing is written', async (t) => {
  const { a } = folders(t, 'a')
  const editor = openEditor(t, { dir: a })
  await editor.see('PROMPT')
  // A slow machine cannot make this fail: it is later that it would write.
  let before = -1
  while (before !== editor.written().length) {
    before = editor.written().length
    await wait(300)
  }
  await wait(700)
  editor.press('\u001b[24~')
  await wait(200)
  t.equal(editor.written().length, before, 'neither of itself, nor by a key that does nothing')
  editor.press('j')
  await editor.see(/> Description/)
  const frame = editor.written().slice(before)
  t.ok(frame.length < 600, `only the rows that changed: ${frame.length} bytes`)
  t.match(frame, /^\u001b\[\?2026h[\s\S]*\u001b\[\?2026l$/, 'shown at once')
})

t.test('without colour, without UTF-8', async (t) => {
  const { a } = folders(t, 'a')
  writeFileSync(join(a, 'config.yaml'), commented.replace('looks at changes', 'schaut 変更 an'))
  const plain = openEditor(t, { dir: a, env: { NO_COLOR: '1' } })
  const ascii = openEditor(t, { dir: a, env: { LANG: 'C' } })
  const asked = openEditor(t, { dir: a, args: ['pr-review', '--ascii', '--no-alt-screen'] })
  await plain.see(/schaut 変更 an +│ +1 body_size +ok/)
  const colours = [...plain.written().matchAll(/\u001b\[([\d;]*)m/g)].flatMap(([, codes = '']) => codes.split(';'))
  t.same(
    [...new Set(colours)].filter((code) => !['', '0', '1', '2', '4', '7', '22', '24', '27'].includes(code)),
    [],
    'bold, dim, inverse, underline',
  )
  for (const editor of [ascii, asked]) {
    await editor.see(/schaut \?\?\?\? an +\| +1 body_size +ok/)
    t.notMatch(editor.written(), /[^\0-\x7f]/, 'ASCII only')
  }
  t.notOk(asked.isAlternate())
  asked.press('q')
  await asked.exited
  t.match(asked.text(), /^the line before\n[\s\S]*? pr-review [\s\S]*q quit$/, 'drawn below what was there')
  t.equal(asked.cursor().line, 23, 'the shell goes on below')
  for (const editor of [plain, ascii]) editor.press('q')
})

t.test('what others wrote is shown, and acts on nothing', async (t) => {
  const evil = '\u001b]0;owned\u0007\u001b[31m\u009b2J\u202egnp.exe\r\u0008'
  const json = JSON.stringify(evil)
  const config = `platforms: { webhook: { enabled: true, extra: { secret: abcabcabcabcabcabc, routes: {
    ${json}: { prompt: p, events: [${json}] },
    wide: { description: ${JSON.stringify(`価格 🎉 ${evil}`)}, prompt: ${JSON.stringify(`{title} ${evil}`)}, deliver: log } } } } }
`
  const cli = fakeCli(t, { 'config.yaml': config, payload: JSON.stringify({ title: evil, [evil]: [evil] }) })
  t.match(await cli.run('samples', 'add', 'evil/one', `@${cli.file('payload')}`), { code: 0 })
  const editor = openEditor(t, { dir: cli.dir, args: [], columns: 160, rows: 40 })
  await editor.see(/wide/)
  editor.press('G', keys.enter)
  await editor.see(/価格/)
  editor.press('p')
  await editor.see('evil/one')
  editor.press('/')
  await editor.see(/filter /)
  editor.press('evil/one')
  await editor.see(/> evil\/one/)
  editor.press(keys.enter)
  editor.press(keys.enter)
  await editor.see(/payload: evil\/one/)
  await editor.see(/PROMPT/)
  editor.press('T')
  await editor.see('trace of wide')
  editor.press(keys.escape)
  await editor.see('> Mode')
  editor.press('j', keys.enter)
  await editor.see('(description)')
  editor.press(`\u001b[200~${evil}\u001b[201~`, keys.enter)
  await editor.see('*modified*')
  editor.press('w')
  await editor.see('enter writes')
  t.same([...new Set(commandsIn(editor.written()).join(''))], ['\r', '\n'], 'ends of lines alone')
  t.notMatch(editor.written(), /\r(?!\n)/)
  t.notMatch(editor.written(), 'owned\u0007')
})

t.test('without a terminal: exit 2, and what to do instead', async (t) => {
  t.match(await fakeCli(t).run('edit'), {
    code: 2,
    out: '',
    err: /the editor needs a terminal\n {2}without one: .*webhook subscribe, or .*webhook edit\n$/,
  })
})

t.test('--read-only: looks at everything, changes nothing', async (t) => {
  const { a } = folders(t, 'a')
  const editor = openEditor(t, { dir: a, args: ['pr-review', '--read-only'] })
  await editor.see(/read-only/)
  await editor.see(/> Mode .* │ TRACE/)
  editor.press(' ', 'd', 'j', keys.enter)
  await editor.see('opened with --read-only')
  editor.press('w', 'd', 'a', 'W', 'D', 'u')
  editor.press('q')
  t.equal(await editor.exited, 0)
  t.equal(readFileSync(join(a, 'config.yaml'), 'utf8'), commented)
})

t.test('inside tmux', { skip: !works('tmux', '-V') && 'needs tmux' }, async (t) => {
  const { a } = folders(t, 'a')
  const socket = join(a, 'tmux')
  const tmux = (...args: string[]): string => execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' })
  const command = `echo the line before; HEADGATE_HOME='${a}' LANG=C.UTF-8 '${process.execPath}' '${main}' edit pr-review; cat`
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', '80', '-y', '24', '/bin/sh', '-c', command)
  const server = Number(tmux('display', '-p', '#{pid}'))
  // By its id: the folder with its socket is gone by then.
  t.teardown(() => process.kill(server))
  const pane = (): string => tmux('capture-pane', '-p')
  const seen = async (sought: RegExp): Promise<void> => {
    await until(() => sought.test(pane())).catch(() => t.match(pane(), sought))
  }
  await seen(/> Mode/)
  tmux('send-keys', 'j')
  await seen(/> Description/)
  tmux('resize-window', '-x', '50', '-y', '14')
  await seen(/> Description/)
  tmux('resize-window', '-x', '200', '-y', '60')
  await seen(/> Description .* │ +1 body_size .* │ +description:/)
  tmux('resize-window', '-x', '100', '-y', '30')
  await seen(/> Description .* │ +1 body_size/)
  tmux('send-keys', 'q')
  await seen(/^the line before\n\n/)
  t.equal(tmux('capture-pane', '-p', '-S', '-').trimEnd(), 'the line before', 'no row of the editor, nor above it')
  t.equal(tmux('display', '-p', '#{alternate_on}').trim(), '0')
})

t.test('a number past 2^53 has its digits in the list, in a condition, and in the file after a change to it', async (t) => {
  const id = '1234567890123456789'
  const written = `platforms:\n  webhook:\n    enabled: true\n    extra:\n      secret: c2a91f70e35bd846\n      routes:\n        r: { prompt: p, filters: [{ field: n, equals: ${id} }] }\n`
  const dir = newFolder(t, { 'config.yaml': written })
  const list = openEditor(t, { dir, columns: 200 })
  await list.see(`n equals ${id}`)
  list.press('q')
  await list.exited

  const editor = openEditor(t, { dir, args: ['r', '--screen-reader'], rows: 80 })
  await editor.see(/Filters: 1 items/)
  editor.press('10', keys.enter)
  await editor.see(`1 of 2: Filter 1 of 1, n equals ${id}`)
  editor.press('1', keys.enter)
  await editor.see('Type the text')
  editor.press('action', keys.enter)
  await editor.see('1 of 1: action: as it is typed')
  editor.press('1', keys.enter)
  await editor.see(`action equals ${id}, fails`)
  editor.press('save', keys.enter)
  await editor.see('"save" writes')
  editor.press('save', keys.enter)
  const saved = `{ field: action, equals: ${id} }`
  // The file is there before the editor is done with its folder.
  await editor.see('saved config.yaml')
  t.match(readFileSync(join(dir, 'config.yaml'), 'utf8'), saved)
  editor.press('quit', keys.enter)
  t.equal(await editor.exited, 0)
})
