/** One finding a line, each a JSON object; nothing where nothing is wrong. */

import { jsonText } from '../../app/json-text.ts'
import { itemsOf } from '../shell/findings.ts'
import type { Render } from './report.ts'

export const jsonl: Render = ({ diagnostics, texts }) =>
  itemsOf(diagnostics, texts)
    .map((item) => `${jsonText(item)}\n`)
    .join('')
