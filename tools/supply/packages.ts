/** Finds the packages that we ship: those whose code is in the build, and those that are installed beside the build. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

/** The licences whose code may be a part of a package under MIT. */
const accepted = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'MIT-0']

/** `license`: an SPDX identifier. `text`: the texts of its licences and notices; empty where none comes with the package. */
export type BundledPackage = {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly author: string
  readonly text: string
}

/** The folders of packages whose content is published besides the bundle: the samples of GitHub. */
const beside = ['node_modules/@octokit/webhooks-examples']

/** Returns the folders of the packages that have code in an output, such as `node_modules/a/node_modules/b`. */
const foldersOf = ({ outputs }: Metafile): string[] => {
  const folders = new Set<string>()
  for (const { inputs } of Object.values(outputs))
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const [folder] = /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
      if (folder !== undefined && bytesInOutput > 0) folders.add(folder)
    }
  return [...folders]
}

const readPackage = (folder: string): BundledPackage => {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (!accepted.includes(license))
    throw new Error(`${name}@${version} is under ${license}: may its code be in our package? See tools/supply/packages.ts`)
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r', '').trim())
  return { name, version, license, author: author?.name ?? author ?? '', text: texts.join('\n\n') }
}

/** Returns the packages with code or data in the build of `metafiles`, read off the build. Throws for a licence that is not accepted. */
export const bundledPackages = (root: string, metafiles: readonly Metafile[]): readonly BundledPackage[] => {
  const folders = new Set([...metafiles.flatMap(foldersOf), ...beside])
  return [...folders].map((folder) => readPackage(join(root, folder)))
}

/** `isOptional`: npm installs the package only where its binding fits the machine. `integrity`: as `sha512-<base64>`. */
export type InstalledPackage = {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly isOptional: boolean
  readonly integrity: string
}

/** Returns the packages that npm installs beside the build, with those that they need, as `package-lock.json` pins them. */
export const installedPackages = (root: string): readonly InstalledPackage[] => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const found = new Map<string, InstalledPackage>()
  const visit = (name: string): void => {
    if (found.has(name)) return
    const { version, license, optional, integrity, dependencies, optionalDependencies } = packages[`node_modules/${name}`]
    found.set(name, { name, version, license, isOptional: optional === true, integrity })
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) visit(needed)
  }
  for (const name of Object.keys(packages[''].dependencies)) visit(name)
  return [...found.values()]
}
