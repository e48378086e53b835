/** Fetches packages for other machines than this one, which npm would not install here. */

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './run.ts'

export type Pinned = { readonly name: string; readonly version: string; readonly integrity: string }

/**
 * Returns the folder with the content of a package, from npm's registry or from the last time. Throws where the tarball is not the pinned
 * one: `integrity` is its digest, `sha512-<base64>`.
 */
export const fetchPackage = ({ name, version, integrity }: Pinned, cache: string): string => {
  const folder = join(cache, `${name.replace('/', '-')}-${version}`)
  // Only the content of a checked tarball gets a folder with this name.
  if (existsSync(folder)) return folder
  const making = `${folder}.new`
  rmSync(making, { recursive: true, force: true })
  mkdirSync(making, { recursive: true })
  const [{ filename }] = JSON.parse(run(['npm', 'pack', '--json', `${name}@${version}`, '--pack-destination', making]))
  const tarball = join(making, filename)
  const digest = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
  if (digest !== integrity) throw new Error(`${name}@${version} has the digest ${digest}, not the pinned ${integrity}`)
  run(['tar', '-xzf', tarball, '-C', making, '--strip-components=1', '--no-same-owner'])
  rmSync(tarball)
  renameSync(making, folder)
  return folder
}
