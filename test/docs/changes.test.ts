/** `npm run changes` puts the files of `.changes/` together, and those of this project can be put together. */

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { newFolder } from '../fakes/folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = (cwd: string, ...args: readonly string[]) => {
  const tool = [`--import=${import.meta.resolve('tsx')}`, join(root, 'tools/changes.ts'), ...args]
  return spawnSync(process.execPath, tool, { cwd, encoding: 'utf8' })
}

const older = '## 0.9.0 (2026-01-01)\n\n### Work\n\n- Older.\n'
const changes = {
  'a-retry.md': 'Work\n\n- A retry.\n',
  'b-door.md': 'Receiving\n\n- A door.\n- Its lock.\n',
}

t.test('a release has the changes of all files by section, once, above older releases', async (t) => {
  const folder = newFolder(t, { '.changes': changes, 'package.json': '{ "version": "1.0.0" }', 'CHANGELOG.md': `# Changelog\n\n${older}` })
  const body = '### Receiving\n\n- A door.\n- Its lock.\n\n### Work\n\n- A retry.\n'
  t.equal(run(folder).stdout, body, 'printed beforehand')
  t.equal(run(folder, '--release').status, 0)
  const text = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')
  t.match(text, /^# Changelog\n\n## 1\.0\.0 \(\d{4}-\d\d-\d\d\)\n\n/)
  t.ok(text.endsWith(`)\n\n${body}\n${older}`), text)
  t.strictSame(readdirSync(join(folder, '.changes')), [], 'no change is released twice')
})

t.test('what stands under "Unreleased" goes into the release, behind the changes of files', async (t) => {
  const unreleased = '## Unreleased\n\n### Work\n\n- A lane.\n'
  const folder = newFolder(t, {
    '.changes': changes,
    'package.json': '{ "version": "1.0.0" }',
    'CHANGELOG.md': `# Changelog\n\n${unreleased}`,
  })
  run(folder, '--release')
  t.match(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'), /### Work\n\n- A retry\.\n- A lane\.\n$/)
})

t.test('a file of another form is named, and nothing is written', async (t) => {
  for (const text of ['Wrok\n\n- A retry.\n', 'Work\n- A retry.\n', 'Work\n\nA retry.\n', 'Work\n']) {
    const folder = newFolder(t, {
      '.changes': { ...changes, 'c.md': text },
      'package.json': '{ "version": "1.0.0" }',
      'CHANGELOG.md': older,
    })
    const { status, stderr } = run(folder, '--release')
    t.not(status, 0, text)
    t.match(stderr, /^\.changes\/c\.md: .*\n$/, text)
    t.equal(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'), older, text)
    t.ok(existsSync(join(folder, '.changes/b-door.md')), text)
  }
})

t.test('the changes of this project can be put together', async (t) => {
  const { status, stdout, stderr } = run(root)
  t.equal(status, 0, stderr)
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const [open = ''] = /^## Unreleased\n[\s\S]*?(?=^## |$(?![\s\S]))/m.exec(text) ?? []
  for (const line of open.split('\n').filter((each) => each.startsWith('- '))) t.ok(stdout.includes(line), line)
})
