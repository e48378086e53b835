/** The scripts of `completion`, each in its real shell. What is offered in general is tested where the commands are. */

import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { newFolder } from '../fakes/folder.ts'
import { works } from '../fakes/process.ts'
import { openTerminal } from '../fakes/terminal.ts'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const files = {
  'config.yaml': 'include: [parts/*]\nplatforms: { webhook: { enabled: true, extra: { routes: { v1.2: { prompt: p } } } } }',
  'webhook_subscriptions.json': '{"my-route":{"secret":"x"},"$(touch pwned)":{}}',
  parts: { 'a.yaml': 'routes: { part.1: { prompt: p } }' },
  'file.yaml': '',
  'my file.yaml': '',
}

/** A folder with the files, the script in `name`, and a `headgate` to be found on the PATH of `env`. */
const folderWith = (t: Test, shell: string, name: string): { dir: string; env: { readonly [name: string]: string } } => {
  const dir = newFolder(t, { ...files, bin: {} })
  const { stdout, status } = spawnSync(process.execPath, [main, 'completion', shell], { encoding: 'utf8' })
  t.equal(status, 0)
  writeFileSync(join(dir, name), stdout)
  writeFileSync(join(dir, 'bin/headgate'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 })
  return { dir, env: { PATH: `${join(dir, 'bin')}:${process.env.PATH}`, HOME: dir, HEADGATE_HOME: dir, LANG: 'C.UTF-8' } }
}

const without = (shell: string): string | false => !works(shell, '-c', 'true') && `needs ${shell}`

t.test('bash', { skip: !works('bash', '-c', 'complete') && 'needs bash' }, (t) => {
  const { dir, env } = folderWith(t, 'bash', 'completion.bash')
  const completed = (...words: string[]): string[] => {
    const body = [
      'source ./completion.bash',
      'complete -p headgate >/dev/null || exit 1',
      'COMP_WORDS=(headgate "$@"); COMP_CWORD=$#; _headgate 2>&1',
      'printf "%s\\n" "${COMPREPLY[@]}"',
    ].join('\n')
    const { stdout, status } = spawnSync('bash', ['-c', body, 'bash', ...words], { encoding: 'utf8', env, cwd: dir })
    t.equal(status, 0)
    return stdout.split('\n').filter((line) => line !== '')
  }
  t.same(completed('webhook', 'subs'), ['subscribe'])
  t.same(completed('webhook', 'show', ''), ['my-route', 'v1.2', 'part.1'])
  t.same(completed('edit', 'my'), ['my-route'])
  t.same(completed('gateway', 'run', '--log-format', '=', 'p'), ['pretty'])
  t.same(completed('validate', '--select', 'WH401,WH502'), ['WH401,WH502'])
  t.same(completed('validate', 'file'), ['file.yaml'])
  t.same(completed('samples', 'add', 'a/b', '@fi'), ['@file.yaml'])
  t.notOk(existsSync(join(dir, 'pwned')), 'no name is run')
  t.end()
})

t.test('fish', { skip: without('fish') }, (t) => {
  const { dir, env } = folderWith(t, 'fish', 'completion.fish')
  const completed = (line: string): string[] => {
    const body = `source completion.fish; complete -C ${JSON.stringify(line)}`
    const { stdout, stderr, status } = spawnSync('fish', ['--no-config', '-c', body], { encoding: 'utf8', env, cwd: dir })
    t.same({ status, stderr }, { status: 0, stderr: '' })
    return stdout.split('\n').filter((each) => each !== '')
  }
  t.same(completed('headgate webhook te'), ['test\tsend a signed test payload to the running gateway'])
  t.same(completed('headgate webhook show '), ['my-route\ta subscription', 'part.1\tin parts/a.yaml', 'v1.2\tin config.yaml'])
  t.same(completed('HEADGATE_HOME=. headgate edit "my'), ['my-route\ta subscription'])
  t.same(completed('headgate gateway run --log-format=p'), ['--log-format=pretty'])
  t.same(completed('headgate validate --select WH401,WH502'), ['WH401,WH502\ta placeholder of another template language'])
  t.match(completed('headgate webhook list --w'), [/^--wide\t./])
  t.same(completed('headgate validate my'), ['my file.yaml'])
  t.same(completed('headgate samples add a/b @fi'), ['@file.yaml'])
  t.same(completed('headgate --data-dir=b'), ['--data-dir=bin/'])
  t.notOk(existsSync(join(dir, 'pwned')), 'no name is run')
  t.end()
})

t.test('zsh', { skip: without('zsh') }, async (t) => {
  const { dir, env } = folderWith(t, 'zsh', 'bin/_headgate')
  writeFileSync(join(dir, '.zshrc'), "PS1='> '\nfpath=(~/bin $fpath)\nautoload -Uz compinit && compinit -D -u\n")
  const zsh = openTerminal(t, ['zsh', '-d', '-i'], { folder: dir, env: { ...env, ZDOTDIR: dir }, columns: 120 })
  await zsh.see('>')
  const killLine = '\u0015'
  /** What a press of the tab key makes of a line, or shows below it. */
  const completes = async (typed: string, shown: string): Promise<void> => {
    zsh.press(typed, '\t')
    await zsh.see(shown)
    zsh.press(killLine)
    await zsh.gone(shown)
  }
  await completes('headgate webhook te', '> headgate webhook test')
  await completes('headgate webhook show ', 'v1.2      -- in config.yaml')
  await completes('HEADGATE_HOME=. headgate edit "my', 'headgate edit "my-route"')
  await completes('headgate gateway run --log-format=p', '--log-format=pretty')
  await completes('headgate validate --select WH401,WH50', 'WH401,WH502  -- a placeholder of another template language')
  await completes('headgate webhook list --w', '--wide')
  await completes('headgate validate my', 'validate my\\ file.yaml')
  await completes('headgate samples add a/b @fi', '@file.yaml')
  await completes('headgate --data-dir=b', '--data-dir=bin/')
  t.notOk(existsSync(join(dir, 'pwned')), 'no name is run')
})
