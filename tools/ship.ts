/**
 * Makes what is shipped beside the npm package, of what is built:
 * `npm run ship -- [tarball] [deb] [policy] [image] [tools] [image-root] [--arch ARCH] [--out DIR] [--node-home DIR]`.
 * Without a name it makes the archives, the package for Debian, which lintian then reads (`policy`), and both images; without `--arch`
 * archives and the image without a shell for both processors. Exits with 2 where it lacks a program with which something would be made.
 */

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { checkPolicy, makeDeb } from './ship/deb.ts'
import { makeImages, makeToolsImage } from './ship/image.ts'
import { makeImageRoot } from './ship/image-root.ts'
import { sourceDate } from './ship/lay-out.ts'
import type { Making } from './ship/making.ts'
import { MissingProgram } from './ship/run.ts'
import { makeTarball } from './ship/tarball.ts'
import { type Arch, node } from './ship/targets.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: join(root, '.ship') }, arch: { type: 'string' }, 'node-home': { type: 'string' } },
})
const isArch = (name: string): name is Arch => name in node.integrity
const archs = Object.keys(node.integrity).filter(isArch)

/** The processors to make archives and images for. */
const wanted = ({ arch }: Making): readonly Arch[] => (values.arch === undefined ? archs : [arch])

const makers: { readonly [name: string]: (making: Making) => readonly string[] } = {
  tarball: (making) => wanted(making).map((arch) => makeTarball({ ...making, arch })),
  deb: (making) => [makeDeb(making)],
  policy: (making) => [checkPolicy(making)],
  image: (making) => makeImages(making, wanted(making)),
  tools: (making) => [makeToolsImage(making)],
  'image-root': (making) => [makeImageRoot(making)],
}

/** Returns the digest, the name and the size of a file. Of a folder or an image it returns the name. */
const described = (path: string): string => {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile()) return path
  return `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${basename(path)}  ${stat.size} bytes`
}

const out = resolve(values.out)
const arch = values.arch ?? process.arch
if (!isArch(arch)) throw new Error(`${arch} is none of ${archs.join(', ')}`)
// The modes of the files must not depend on whoever makes them.
process.umask(0o022)
mkdirSync(out, { recursive: true })
const making: Making = {
  root,
  out,
  cache: join(root, '.ship/cache'),
  arch,
  nodeHome: values['node-home'],
  product: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
  seconds: sourceDate(root),
}
for (const name of positionals.length > 0 ? positionals : ['tarball', 'deb', 'policy', 'image', 'tools']) {
  const make = makers[name]
  if (!make) throw new Error(`${name} is none of ${Object.keys(makers).join(', ')}`)
  try {
    for (const path of make(making)) console.log(described(path))
  } catch (error) {
    if (!(error instanceof MissingProgram)) throw error
    console.error(`${name} is not made: ${error.message}`)
    process.exitCode = 2
  }
}
