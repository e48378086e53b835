/** Answers the questions of the pages by the use cases that commands call, too. */

import type { ConsoleQuestions } from '../../generated/console.ts'
import type { SignIn } from '../access/sign-ins.ts'
import { eventAnswers } from './events.ts'
import { gatewayAnswers } from './gateway.ts'
import { routeTextAnswers } from './route-text.ts'
import { routeAnswers } from './routes.ts'
import type { AnswerSurroundings } from './surroundings.ts'
import { workAnswers } from './work.ts'

/** The questions that the server answers itself: they end a sign-in, or are answered line by line. */
type OfServer = 'signOut' | 'live'

/** A function for each question. The function rejects with a Fault where there is no answer. */
type Answers = {
  readonly [Name in Exclude<keyof ConsoleQuestions, OfServer>]: (question: ConsoleQuestions[Name], signIn: SignIn) => Promise<unknown>
}

export const createAnswers = (around: AnswerSurroundings) =>
  ({
    ...eventAnswers(around),
    ...routeAnswers(around),
    ...routeTextAnswers(around),
    ...gatewayAnswers(around),
    ...workAnswers(around),
  }) satisfies Answers

/** The answer to each question, for the pages. */
export type ConsoleAnswers = {
  readonly [Name in keyof ReturnType<typeof createAnswers>]: Awaited<ReturnType<ReturnType<typeof createAnswers>[Name]>>
}
