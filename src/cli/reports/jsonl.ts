/** Writes one finding a line, each as a JSON object. A clean result prints nothing. */

import { jsonText } from '../../app/json-text.ts'
import { itemsOf } from '../shell/findings.ts'
import type { Render } from './report.ts'

export const jsonl: Render = ({ diagnostics, texts }) =>
  itemsOf(diagnostics, texts)
    .map((item) => `${jsonText(item)}\n`)
    .join('')
