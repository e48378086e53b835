/** One finding a line, each a JSON object; nothing where nothing is wrong. */

import { itemOf } from '../shell/findings.ts'
import { jsonText } from '../shell/output.ts'
import type { Render } from './report.ts'

export const jsonl: Render = ({ diagnostics, texts }) => diagnostics.map((each) => `${jsonText(itemOf(each, texts))}\n`).join('')
