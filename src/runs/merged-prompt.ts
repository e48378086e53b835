/** Makes the prompt of a run, which may stand for several merged events (rules: Coalescing 4). */

import type { Merged, NewRun } from '../core/new-run.ts'
import { joinPrompts, type Prompt } from '../core/prompt.ts'

/**
 * Returns the prompt of a run. Where the run stands for several events, the result is the prompt of one event, with a note on the other
 * events; with `keep: all` it is the prompts of all events, numbered.
 */
export const mergedPrompt = ({ prompt: text, untrusted = [], merged }: NewRun): Prompt => {
  const prompt = { text, untrusted }
  if (merged === undefined || merged.count < 2) return prompt
  return merged.keep === 'all'
    ? numberedPrompts(merged, merged.prompts ?? [prompt])
    : joinPrompts([prompt, `\n\n[headgate] ${leftOutNote(merged)}; ${merged.count} arrived in all.`])
}

const leftOutNote = ({ count, keep }: Merged): string => {
  const others = count - 1
  const [events, were] = others === 1 ? ['event', 'was'] : ['events', 'were']
  return keep === 'first'
    ? `${others} later ${events} for this target ${were} left out`
    : `${others} earlier ${events} for this target ${were} replaced by this one`
}

/** Joins the stored prompts, numbered. A note tells how many are missing, because the store drops the oldest prompts past its bounds. */
const numberedPrompts = ({ count }: Merged, prompts: readonly (string | Prompt)[]): Prompt => {
  const missing = count - prompts.length
  const head = missing > 0 ? `[headgate] The oldest ${missing} of ${count} events for this target are left out.\n\n` : ''
  const numbered = prompts.flatMap((prompt, i) => [`${i > 0 ? '\n\n' : ''}[headgate] event ${missing + i + 1} of ${count}\n`, prompt])
  return joinPrompts([head, ...numbered])
}
