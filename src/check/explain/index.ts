/** The explanations of all codes of findings. Only `headgate explain`, a SARIF report and the generator of docs/codes.md load them. */

import type { Code } from '../../core/diagnostic.ts'
import { answerExplanations } from './answers.ts'
import { certificateExplanations } from './certificates.ts'
import type { Explanation } from './explanation.ts'
import { featureExplanations } from './features.ts'
import { fileExplanations } from './file.ts'
import { filterExplanations } from './filters.ts'
import { hostExplanations } from './host.ts'
import { meaningExplanations } from './meaning.ts'
import { observingExplanations } from './observing.ts'
import { scriptExplanations } from './scripts.ts'
import { secretExplanations } from './secrets.ts'
import { shapeExplanations } from './shape.ts'
import { targetExplanations } from './targets.ts'
import { templateExplanations } from './templates.ts'

/** The ranges of codes in order, each with the beginning of its codes and the title of its subject. */
export const codeRanges = [
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

/** The explanations by code. The type makes sure that no code lacks one. */
const explanations: { readonly [code in Code]: Explanation } = {
  ...fileExplanations,
  ...shapeExplanations,
  ...meaningExplanations,
  ...featureExplanations,
  ...observingExplanations,
  ...secretExplanations,
  ...certificateExplanations,
  ...filterExplanations,
  ...templateExplanations,
  ...scriptExplanations,
  ...targetExplanations,
  ...answerExplanations,
  ...hostExplanations,
}

export const explanationOf = (code: Code): Explanation => explanations[code]
