/**
 * The built editor in a terminal: it writes the changed line alone, what is left or killed is offered again, and what somebody else wrote
 * meanwhile stays.
 */

import { execFileSync } from 'node:child_process'
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { commented, openEditor } from '../fakes/editor.ts'
import { newFolder } from '../fakes/folder.ts'
import { works } from '../fakes/process.ts'
import { keys, openHeadgate } from '../fakes/terminal.ts'
import { until } from '../fakes/wait.ts'

const config = `# Ask Kim before you change it.
platforms:
  webhook:
    enabled: true   # since May
    extra:
      secret: "canary-canary-canary"
      routes:
        # Reviews, as agreed.
        pr-review:
          description: 'first look'  # why
          prompt: '{title}'
          deliver: log
`

t.test('a killed editor leaves its draft, and Keep mine adds one line to what another wrote', async (t) => {
  const dir = newFolder(t, { 'config.yaml': config })
  const file = join(dir, 'config.yaml')
  const open = () => openHeadgate(t, ['edit', 'pr-review'], { columns: 120, rows: 34, env: { HEADGATE_HOME: dir } })
  const first = open()
  await first.see('first look')
  first.press('j')
  await first.see('> Description')
  first.press(keys.enter)
  await first.see('(description)')
  first.press(' now', keys.enter)
  await first.see('*modified*')
  await until(() => readdirSync(dir).includes('.drafts') && readdirSync(join(dir, '.drafts')).includes('pr-review.json'))
  t.equal(readFileSync(file, 'utf8'), config, 'nothing is written before it is saved')
  first.kill('SIGKILL')
  const second = open()
  await second.see('drafts that were left')
  second.press(keys.enter)
  await second.see('*modified*')
  second.press('w')
  await second.see('enter writes')
  appendFileSync(file, '# by hand\n')
  second.press(keys.enter)
  await second.see('> Cancel')
  second.press('k')
  await second.see('> Save as')
  second.press('k')
  await second.see('> Keep mine')
  second.press(keys.enter)
  await second.see('enter writes')
  second.press(keys.enter)
  await second.see('saved config.yaml')
  t.equal(readFileSync(file, 'utf8'), `${config.replace("'first look'", "'first look now'")}# by hand\n`)
  await until(() => readdirSync(join(dir, '.drafts')).length === 0)
  const by = `command:${userInfo().username}`
  const audit = readFileSync(join(dir, 'state/audit.jsonl'), 'utf8').trim().split('\n')
  t.match(
    audit.map((line) => JSON.parse(line)),
    [
      { by, action: 'save_route', on: { route: 'pr-review' }, result: 'begun' },
      { action: 'save_route', result: 'failed' },
      { by, action: 'save_route', on: { route: 'pr-review' }, result: 'begun' },
      { by, action: 'save_route', result: 'done' },
    ],
    'the save that found the file changed, and the save after it',
  )
  second.press('q')
  t.equal(await second.exited, 0)
  t.notMatch(second.written(), 'canary')
})

t.test('keys that are typed at once count once and in their order, however early they come', async (t) => {
  const many = Array.from({ length: 60 }, (_, i) => `        r${i}: { prompt: p${i}, deliver: log }\n`).join('')
  const starts = {
    'before the terminal is taken': () => true,
    'before the first frame': (written: string) => written.includes('\u001b[?1049h'),
    'while Ink is loaded': (written: string) => written.includes('\u001b[?2026l'),
  }
  const dirs = newFolder(t, Object.fromEntries(Object.keys(starts).map((_, i) => [i, { 'config.yaml': commented + many }])))
  const typed = async ([when, isTime]: [string, (written: string) => boolean], i: number): Promise<void> => {
    const editor = openEditor(t, { dir: join(dirs, String(i)), args: [] })
    await until(() => isTime(editor.written()))
    for (const key of ['/', ...'r125', keys.backspace, keys.enter, keys.enter, 'j', keys.enter, ...'early', keys.enter, 'w'])
      editor.press(key)
    await editor.see('enter writes')
    // The terminal may have the head of a frame before its diff.
    await editor.see('description: early')
    t.match(editor.text(), /save r12/, when)
    t.match(editor.text(), /^ *\+ .*r12: \{ prompt: p12, deliver: log, description: early \}/m, when)
    editor.press(keys.interrupt, keys.interrupt)
    await editor.exited
  }
  await Promise.all(Object.entries(starts).map(typed))
})

t.test('one value is changed: git shows one changed line', { skip: !works('git', '--version') && 'needs git' }, async (t) => {
  const dir = newFolder(t, { 'config.yaml': commented })
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { encoding: 'utf8' })
  git('init', '-q')
  git('add', 'config.yaml')
  git('commit', '-qm', 'before')
  const editor = openEditor(t, { dir })
  await editor.see('> Mode')
  const row = (): string | undefined => /^> (.{20})/m.exec(editor.lines().join('\n'))?.[1]?.trim()
  for (let at = row(); at !== 'Events'; at = row()) {
    editor.press('j')
    await until(() => ![at, undefined].includes(row()))
  }
  editor.press(keys.enter)
  await editor.see('> [x] pull_request')
  editor.press('push', keys.space)
  await editor.see('> [x] push ')
  editor.press(keys.enter)
  await editor.see('*modified*')
  editor.press('w')
  await editor.see('+           events: [pull_request, push]')
  editor.press(keys.enter)
  await editor.see('saved config.yaml')
  editor.press('q')
  t.equal(await editor.exited, 0)
  t.same(
    git('diff', '--unified=0')
      .split('\n')
      .filter((line) => /^[+-](?![+-])/.test(line)),
    ['-          events: [pull_request]', '+          events: [pull_request, push]'],
  )
  t.equal(git('diff', '--numstat').trim(), '1\t1\tconfig.yaml')
  t.equal(editor.text(), 'the line before')
})

t.test('^c with changes asks; twice it leaves a draft, which the next start offers', async (t) => {
  const dir = newFolder(t, { 'config.yaml': commented })
  const first = openEditor(t, { dir })
  await first.describe('other words')
  first.press(keys.interrupt)
  await first.see('has changes that are not saved')
  t.match(first.text(), / Save\n +Discard\n> Cancel/)
  first.press(keys.enter)
  await first.see('> Description')
  first.press(keys.interrupt)
  await first.see('> Cancel')
  first.press(keys.interrupt)
  t.equal(await first.exited, 0)
  t.match(first.text(), /^the line before\nyour changes are kept as /)
  t.same(first.drafts(), ['pr-review.json'])
  t.equal(readFileSync(join(dir, 'config.yaml'), 'utf8'), commented)

  const second = openEditor(t, { dir, args: [] })
  await second.see('drafts that were left')
  second.press(keys.enter)
  await second.see(/Description .*other words/)
  second.press('q')
  await second.see('> Cancel')
  second.press('k', keys.enter)
  t.equal(await second.exited, 0)
  t.same(second.drafts(), [], 'discarded')
})

t.test('--profile: the routes of one profile, and new ones are bound to it', async (t) => {
  const own = '        ops-review:\n          profile: ops\n          prompt: p\n          deliver: log\n'
  const dir = newFolder(t, {
    'config.yaml': `gateway: { multiplex_profiles: true }\n${commented}${own}`,
    profiles: { ops: { 'config.yaml': '' } },
  })
  const open = (...args: string[]) => openEditor(t, { dir, args: ['--profile', ...args] })
  const editor = open('ops')
  await editor.see(/profile: ops/)
  await editor.see('> ops-review')
  t.notMatch(editor.text(), 'pr-review')
  editor.press('a')
  await editor.see('the name of the new route')
  editor.press('more', keys.enter)
  await editor.see('> nothing')
  editor.press('github/push', keys.enter)
  await editor.see(/Profile +ops/)
  await editor.see(/Events +push/)
  editor.press('q')
  await editor.see('> Cancel')
  editor.press('k', keys.enter)
  t.equal(await editor.exited, 0)
  const others = open('ops', 'pr-review')
  await others.see('"pr-review" is a route of profile "default", not of "ops"')
  others.press('q')
  const [main, none] = [open('default'), open('opps')]
  await main.see('> pr-review')
  t.notMatch(main.text(), 'ops-review')
  main.press('q')
  t.equal(await none.exited, 5)
  t.match(none.text(), /profile "opps" is not served/)
})

t.test('a route that cannot be served is opened, with what is wrong', async (t) => {
  const dir = newFolder(t, { 'config.yaml': commented.replace('deliver: log', "deliver: telegrm\n          description2: 'no such key'") })
  const editor = openEditor(t, { dir, args: [] })
  await editor.see(/pr-review .* error/)
  editor.press(keys.enter)
  await editor.see('> Mode')
  await editor.see('description2')
  editor.press('q')
  t.equal(await editor.exited, 0)
})

t.test('space on the list writes nothing before a save, and u takes it back', async (t) => {
  const dir = newFolder(t, { 'config.yaml': commented })
  const file = join(dir, 'config.yaml')
  const editor = openEditor(t, { dir, args: [] })
  await editor.see('> pr-review')
  editor.press(keys.space)
  await editor.see('*off')
  t.equal(readFileSync(file, 'utf8'), commented)
  editor.press('u')
  await editor.see('taken back: switch off')
  await editor.gone('*off')
  editor.press(keys.space)
  await editor.see('*off')
  editor.press('w')
  await editor.see(/\+ +enabled: false/)
  editor.press(keys.enter)
  await editor.see('saved config.yaml')
  await editor.see(/pr-review .*disabled/)
  t.match(readFileSync(file, 'utf8'), /^ {10}enabled: false$/m)
  editor.press('q')
  t.equal(await editor.exited, 0)
})

t.test('a file that cannot be read is shown with line and column, and E opens it', async (t) => {
  const dir = newFolder(t, { 'config.yaml': commented.replace('[pull_request]', '[pull_request'), 'good.yaml': commented })
  const editor = openEditor(t, { dir, args: [], env: { EDITOR: `cp ${join(dir, 'good.yaml')}` } })
  await editor.see(/! config\.yaml:\d+:\d+ WH001 .*; E opens it there/)
  editor.press('E')
  await until(() => readFileSync(join(dir, 'config.yaml'), 'utf8') === commented)
  await editor.gone('WH001')
  await editor.see('> pr-review')
  editor.press('q')
  t.equal(await editor.exited, 0)
})
