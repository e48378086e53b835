/** Makes the portable archive: Node and the program in one folder, which runs wherever it is unpacked. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { contentsOf } from './contents.ts'
import { layOut } from './lay-out.ts'
import type { Making } from './making.ts'
import { run } from './run.ts'

/** Writes the archive into the output folder and returns its path. Equal contents give equal bytes. */
export const makeTarball = (making: Making): string => {
  const { out, arch, product, seconds } = making
  const name = `headgate-${product.version}-linux-${arch}`
  const tree = join(out, name)
  rmSync(tree, { recursive: true, force: true })
  layOut(contentsOf(making, { launcher: 'movable' }), tree)
  const file = `${tree}.tar.gz`
  const sameEachTime = ['--format=gnu', '--sort=name', `--mtime=@${seconds}`, '--owner=0', '--group=0', '--numeric-owner']
  // Without a name and a time of its own (-n), gzip gives the same bytes each time.
  run(['tar', '--create', ...sameEachTime, '--use-compress-program=gzip -6 -n', `--file=${file}`, `--directory=${out}`, name])
  rmSync(tree, { recursive: true })
  return file
}
