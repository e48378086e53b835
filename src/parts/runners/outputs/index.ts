/** The list of outputs, in the order in which editors offer them, and a map by the names that `agent.output` takes. */

import { claudeJson } from './claude-json.ts'
import { codexJsonl } from './codex-jsonl.ts'
import { geminiJson } from './gemini-json.ts'
import { opencodeJson } from './opencode-json.ts'
import type { OutputPart } from './output.ts'
import { text } from './text.ts'

export const outputs: readonly OutputPart[] = [text, claudeJson, codexJsonl, geminiJson, opencodeJson]

export const outputsByName: ReadonlyMap<string, OutputPart> = new Map(outputs.map((output) => [output.name, output]))
