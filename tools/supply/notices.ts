/** Writes the licences of the packages in a build. */

import type { BundledPackage } from './packages.ts'

/** Returns the notices: each text of a licence once, below the names of its packages. */
export const renderNotices = (packages: readonly BundledPackage[]): string => {
  const byText = new Map<string, string[]>()
  for (const { name, version, license, author, text } of packages) {
    const terms =
      text ||
      `No text comes with it; its package.json says ${license} (https://spdx.org/licenses/${license}.html)${author && `, by ${author}`}.`
    const names = byText.get(terms) ?? []
    byText.set(terms, [...new Set([...names, `${name} ${version} (${license})`])])
  }
  const entries = [...byText].map(([terms, names]) => `${names.sort().join('\n')}\n\n${terms}\n`)
  return ['This package holds code of others, under these licences.\n', ...entries.sort()].join(`\n${'-'.repeat(80)}\n\n`)
}
