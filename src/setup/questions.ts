/** All questions of the wizard, in the order in which they are asked. An answer may bring further questions. */

import { adapterQuestions } from './adapter-questions.ts'
import { agentQuestions } from './agent-questions.ts'
import { type Question, type SetupDraft, yesNo } from './question.ts'
import { providerIn, routeQuestions, waitsForKey } from './route-questions.ts'
import { targetQuestions } from './target-questions.ts'

/** Returns the questions that the answers so far have brought. */
export const questionsOf = (draft: SetupDraft): readonly Question[] => [
  ...adapterQuestions(draft),
  ...routeQuestions(draft),
  ...agentQuestions(draft),
  ...targetQuestions(draft),
  ...startQuestions(draft),
]

const startQuestions = (draft: SetupDraft): readonly Question[] => {
  const { answers, present } = draft
  if (answers.enable !== 'yes' || present.status) return []
  const provider = providerIn(draft)
  const start = yesNo({ id: 'start', flag: '--start', text: 'Start the gateway when all is written?', initial: 'yes', unasked: 'no' })
  if (answers.start !== 'yes' || !provider?.isSignable || waitsForKey(provider, draft)) return [start]
  const text = `Send it a first event (sample ${provider.sample})?`
  return [start, yesNo({ id: 'first', flag: '--send-first', text, initial: 'yes', unasked: 'no' })]
}
