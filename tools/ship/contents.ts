/** Lists what is inside of every archive, package and image: one list, so that they cannot differ. */

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { installedPackages } from '../supply/packages.ts'
import { type Component, shippedBill } from '../supply/sbom.ts'
import { fetchPackage } from './fetch-package.ts'
import type { Making } from './making.ts'
import { run } from './run.ts'
import { node } from './targets.ts'

/** A file or a symbolic link. `path`: below the prefix, as `lib/headgate/package.json`. */
export type ShippedEntry = { readonly path: string } & (
  | { readonly from: string; readonly isProgram: boolean }
  | { readonly text: string | Uint8Array; readonly isProgram: boolean }
  | { readonly link: string }
)

/**
 * `launcher`: a script that finds its folder where a user unpacked it, or a program below a fixed prefix, which needs no shell. `more`: what
 * else the bill of materials names.
 */
export type ContentOptions = {
  readonly launcher: 'movable' | { readonly prefix: string }
  readonly more?: readonly Component[]
}

const home = 'lib/headgate'
const documentation = 'share/doc/headgate'
const nodePath = `${home}/node/bin/node`
const bill = 'dist/sbom.cdx.json'

/** Whether the program reads a file of the npm package. All other files are documentation. */
const isRead = (path: string): boolean => /^(dist|schema|samples)\/|^(package\.json|LICENSE)$/.test(path)

/** Returns the list, sorted by path. The build must be there (`npm run build`). */
export const contentsOf = (making: Making, { launcher, more = [] }: ContentOptions): readonly ShippedEntry[] => {
  const { root, arch } = making
  const binding = `@libsql/linux-${arch}-gnu`
  const [{ files }] = JSON.parse(run(['npm', 'pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root }))
  const main = readFileSync(join(root, 'dist/main.js'), 'utf8')
  const entries: ShippedEntry[] = [
    ...(files as { path: string; mode: number }[]).map(({ path, mode }) => ({
      path: `${isRead(path) ? home : documentation}/${path}`,
      from: join(root, path),
      isProgram: (mode & 0o100) !== 0,
    })),
    ...dependencies(making, binding),
    ...nodeFiles(making),
    {
      path: `${home}/${bill}`,
      text: shippedBill(readFileSync(join(root, bill), 'utf8'), [binding], [nodeComponent, ...more]),
      isProgram: false,
    },
    ...(launcher === 'movable'
      ? [{ path: 'bin/headgate', text: movableLauncher, isProgram: true }]
      : [
          { path: 'bin/headgate', link: `../${home}/dist/main.js` },
          { path: `${home}/dist/main.js`, text: main.replace(/^#!.*/, `#!${launcher.prefix}/${nodePath}`), isProgram: true },
        ]),
  ]
  // Where two entries have one path, the later one counts.
  const byPath = new Map(entries.map((entry) => [entry.path, entry]))
  return [...byPath.keys()].sort().flatMap((path) => byPath.get(path) ?? [])
}

export const isDocumentation = ({ path }: ShippedEntry): boolean => path.startsWith(`${documentation}/`)

/** Starts the program with the Node beside it, wherever the folder was moved, and through links to the launcher. */
const movableLauncher = `#!/bin/sh
bin=$(dirname -- "$(readlink -f -- "$0")") || exit 1
exec "$bin/../${nodePath}" "$bin/../${home}/dist/main.js" "$@"
`

/** Matches files of a package that nothing loads here: texts, types, maps, other builds, and programs of the package. */
const unloaded = /\.(md|d\.c?ts|min\.js|map)$|-es5\.|^src\/cli\//

/** The packages beside the bundle. Of the bindings of libsql only `binding` can be loaded here: npm would install that of musl as well. */
const dependencies = ({ root, cache }: Making, binding: string): readonly ShippedEntry[] =>
  installedPackages(root).flatMap((pinned) => {
    if (pinned.isOptional && pinned.name !== binding) return []
    const folder = pinned.isOptional ? fetchPackage(pinned, cache) : join(root, 'node_modules', pinned.name)
    return filesIn(folder)
      .filter((path) => !unloaded.test(path))
      .map((path) => ({ path: `${home}/node_modules/${pinned.name}/${path}`, from: join(folder, path), isProgram: false }))
  })

const nodeFiles = ({ arch, cache, nodeHome }: Making): readonly ShippedEntry[] => {
  const folder = nodeHome ?? fetchPackage({ name: `node-linux-${arch}`, version: node.version, integrity: node.integrity[arch] }, cache)
  return [
    { path: nodePath, from: join(folder, 'bin/node'), isProgram: true },
    { path: `${home}/node/LICENSE`, from: join(folder, 'LICENSE'), isProgram: false },
  ]
}

const nodeComponent: Component = {
  type: 'application',
  'bom-ref': `pkg:generic/node@${node.version}`,
  name: 'node',
  version: node.version,
  cpe: `cpe:2.3:a:nodejs:node.js:${node.version}:*:*:*:*:*:*:*`,
  purl: `pkg:generic/node@${node.version}`,
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
