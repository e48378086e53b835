/** One finding a line, each a JSON object; nothing where nothing is wrong. */

import { itemsOf } from '../shell/findings.ts'
import { jsonText } from '../shell/output.ts'
import type { Render } from './report.ts'

export const jsonl: Render = ({ diagnostics, texts }) =>
  itemsOf(diagnostics, texts)
    .map((item) => `${jsonText(item)}\n`)
    .join('')
