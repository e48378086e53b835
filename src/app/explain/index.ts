/** The explanations of all codes. Only `explain`, a SARIF report and the docs load them. */

import type { Code } from '../../core/diagnostic.ts'
import type { Explanation } from './explanation.ts'
import { ofFiles } from './file.ts'
import { ofFilters } from './filters.ts'
import { ofHost } from './host.ts'
import { ofMeaning } from './meaning.ts'
import { ofScripts } from './scripts.ts'
import { ofSecrets } from './secrets.ts'
import { ofShape } from './shape.ts'
import { ofTargets } from './targets.ts'
import { ofTemplates } from './templates.ts'

/** The ranges of codes in order, each with its subject. */
export const ranges = [
  { start: 'WH0', title: 'Files' },
  { start: 'WH1', title: 'Keys and values' },
  { start: 'WH2', title: 'Meaning' },
  { start: 'WH3', title: 'Secrets' },
  { start: 'WH4', title: 'Filters' },
  { start: 'WH5', title: 'Templates' },
  { start: 'WH6', title: 'Scripts' },
  { start: 'WH7', title: 'Targets' },
  { start: 'WH8', title: 'The machine' },
] as const

/** The explanations by code. A missing explanation does not compile. */
const explanations: { readonly [code in Code]: Explanation } = {
  ...ofFiles,
  ...ofShape,
  ...ofMeaning,
  ...ofSecrets,
  ...ofFilters,
  ...ofTemplates,
  ...ofScripts,
  ...ofTargets,
  ...ofHost,
}

export const explanationOf = (code: Code): Explanation => explanations[code]
