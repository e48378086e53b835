/**
 * Returns the prompt that a group with `keep: all` keeps of an event: a bare text where no part of the prompt is marked as written by a
 * sender.
 */

import type { NewRun } from '../core/new-run.ts'
import type { Prompt } from '../core/prompt.ts'

export const keptPrompt = ({ prompt: text, untrusted }: Pick<NewRun, 'prompt' | 'untrusted'>): string | Prompt =>
  untrusted ? { text, untrusted } : text
