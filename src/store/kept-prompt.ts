/** Returns the prompt that a group with `keep: all` keeps of an event: the bare text where no part of it is marked. */

import type { Prompt } from '../core/prompt.ts'
import type { NewRun } from './ports.ts'

export const keptPrompt = ({ prompt: text, untrusted }: Pick<NewRun, 'prompt' | 'untrusted'>): string | Prompt =>
  untrusted ? { text, untrusted } : text
