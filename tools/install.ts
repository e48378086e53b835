/**
 * Installs the packages that only checks need, each folder by its lock: `test/` has those of the quick half of the tests, `test/foreign/`
 * those of the rest, `tools/lint/` those of the lint, and `bench/` those of the bench. A folder that is installed already takes no time.
 * `tsx tools/install.ts` installs all; the names of folders, these alone.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const folders = ['test', 'test/foreign', 'tools/lint', 'bench'] as const

type Folder = (typeof folders)[number]

/** Installs a folder. Ends the process where that fails; npm has said why. */
export const install = (folder: Folder): void => {
  const lock = readFileSync(`${folder}/package-lock.json`, 'utf8')
  // The stamp has the lock from which the last successful installation was made.
  const stamp = `${folder}/node_modules/.installed`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  console.log(`# npm ci in ${folder}/`)
  const { status } = spawnSync('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
  writeFileSync(stamp, lock)
}

if (import.meta.filename === process.argv[1]) {
  const named = process.argv.slice(2)
  folders.filter((folder) => named.length === 0 || named.includes(folder)).forEach(install)
}
