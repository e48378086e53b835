/**
 * Installs the packages that only tests need, each folder by its lock: `test/` has those of the quick half, `test/foreign/` those of the rest.
 * A folder that is installed already takes no time. `tsx tools/install.ts` installs both.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

export const testFolders = ['test', 'test/foreign'] as const

/** Installs a folder. Ends the process where that fails; npm has said why. */
export const install = (folder: (typeof testFolders)[number]): void => {
  const lock = readFileSync(`${folder}/package-lock.json`, 'utf8')
  // Written after an installation that succeeded: the lock that it was made from.
  const stamp = `${folder}/node_modules/.installed`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  console.log(`# npm ci in ${folder}/`)
  const { status } = spawnSync('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
  writeFileSync(stamp, lock)
}

if (import.meta.filename === process.argv[1]) testFolders.forEach(install)
