/** Writes findings as JSON objects, one a line. Without findings, the text is empty. */

import { jsonText } from '../../datadir/json-text.ts'
import { findingItems } from '../shell/findings.ts'
import type { Render } from './report.ts'

export const jsonl: Render = ({ diagnostics, texts }) =>
  findingItems(diagnostics, texts)
    .map((item) => `${jsonText(item)}\n`)
    .join('')
