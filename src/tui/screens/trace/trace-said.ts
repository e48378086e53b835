/** Puts a trace into sentences, for the line mode. */

import type { Preview } from '../../../edit/service.ts'
import type { TraceShown } from '../../../edit/shown-trace.ts'

/** Says the result of each stage. */
export const stageSentences = ({ stages }: TraceShown): readonly string[] =>
  stages.map(({ stage, result, reason }) => [`${stage}: ${result}`, reason].filter(Boolean).join(', '))

/** Says how the trace ends: the outcome, the answer, and what is started. */
export const endSentences = ({ name, reason, answer, starts, notes }: TraceShown): readonly string[] => [
  `outcome: ${name}${reason === undefined ? '' : `, ${reason}`}`,
  `answer: ${answer.status} ${answer.body}`,
  ...(starts ? [`starts: ${starts.mode}, then ${starts.target}`] : []),
  ...notes,
]

/**
 * Returns the prompt, filled in from the payload: its length, what is missing or cut in it, and its lines. Without a prompt, returns the
 * reason why there is none, if it is known.
 */
export const promptSentences = (preview: Preview | undefined): readonly string[] => {
  const prompt = preview?.prompt
  if (!prompt) return preview?.untraced === undefined ? [] : [preview.untraced]
  const { text, unresolved, cuts } = prompt
  const missing = unresolved.length > 0 ? `, without a value: ${unresolved.join(' ')}` : ''
  const cut = cuts.length > 0 ? `, cut: ${cuts.join(', ')}` : ''
  return [`It becomes ${text.length} characters${missing}${cut}:`, ...text.split('\n').filter((each) => each.trim() !== '')]
}
