/** The prompt of one event, as a group with `keep: all` keeps it: its text alone where nothing of it is marked. */

import type { Prompt } from '../core/agent/prompt.ts'
import type { NewRun } from './ports.ts'

export const keptPrompt = ({ prompt: text, untrusted }: Pick<NewRun, 'prompt' | 'untrusted'>): string | Prompt =>
  untrusted ? { text, untrusted } : text
