/** Collects the licences of the packages in a build from the build itself, so that no list is kept by hand. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

/** The licences whose code may be a part of a package under MIT. */
const accepted = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'MIT-0']

type Bundled = { readonly name: string; readonly version: string; readonly license: string; readonly author: string; readonly text: string }

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

const readPackage = (folder: string): Bundled => {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (!accepted.includes(license))
    throw new Error(`${name}@${version} is under ${license}: may its code be in our package? See tools/notices.ts`)
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r', '').trim())
  return { name, version, license, author: author?.name ?? author ?? '', text: texts.join('\n\n') }
}

/** Returns the notices: each text of a licence once, below the names of its packages. Throws for a licence that is not accepted. */
export const renderNotices = (root: string, metafiles: readonly Metafile[]): string => {
  const byText = new Map<string, string[]>()
  const folders = new Set([...metafiles.flatMap(foldersOf), ...beside])
  for (const { name, version, license, author, text } of [...folders].map((folder) => readPackage(join(root, folder)))) {
    const terms =
      text ||
      `No text comes with it; its package.json says ${license} (https://spdx.org/licenses/${license}.html)${author && `, by ${author}`}.`
    const names = byText.get(terms) ?? []
    byText.set(terms, [...new Set([...names, `${name} ${version} (${license})`])])
  }
  const entries = [...byText].map(([terms, names]) => `${names.sort().join('\n')}\n\n${terms}\n`)
  return ['This package holds code of others, under these licences.\n', ...entries.sort()].join(`\n${'-'.repeat(80)}\n\n`)
}
