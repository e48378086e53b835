/** Asks the editor service the questions of the model, and gives the answers to the model as messages. */

import { systemClock, unrefClock } from '../core/clock.ts'
import { Fault, messageOf } from '../core/fault.ts'
import { Timer } from '../core/turns/timer.ts'
import { within } from '../core/turns/within.ts'
import type { EditorService } from '../edit/service.ts'
import type { ServiceAnswer, ServiceQuestion } from '../edit/service-messages.ts'
import type { Message } from './model/screen.ts'
import type { EditorState } from './model/state.ts'
import { createTypedAhead, type TypedAhead } from './typed-ahead.ts'

type QuestionOptions = {
  readonly service: EditorService
  /** Milliseconds that a preview waits for the next change. */
  readonly previewDelayMs: number
}

/** The state of the editor now, and the function that takes a message to the model. */
type ModelAccess = { readonly state: () => EditorState; readonly tell: (message: Message) => void }

export type Questions = {
  ask(question: ServiceQuestion): void
  /** Does an act of the user. While a question is asked whose answer opens a screen, the act waits for that screen. */
  readonly typed: TypedAhead['whenOpened']
  /** Adds work that writes. `close` waits for this work. */
  addWrite(work: Promise<unknown>): void
  /** Asks for no further preview. Resolves when no write is unfinished, or after five seconds. */
  close(): Promise<unknown>
}

/** Makes the object that asks the questions. `tell` gets each answer, and also each failure. */
export const createQuestions = ({ service, previewDelayMs }: QuestionOptions, { state, tell }: ModelAccess): Questions => {
  const previews = createPreviews({ service, previewDelayMs }, tell)
  const written = createUnfinishedWrites()
  const ahead = createTypedAhead()
  return {
    ask(question) {
      if (question.ask === 'preview') return previews.ask(question)
      const work = askService(service, question).then(tell)
      if (screenOpeningQuestions.has(question.ask) || isFirstHome(question, state()) || isForNewRoute(question)) ahead.holdUntil(work)
      if (writingQuestions.has(question.ask)) written.add(work)
    },
    typed: ahead.whenOpened,
    addWrite: written.add,
    close() {
      previews.close()
      return written.whole()
    },
  }
}

/** The questions whose answers open a screen. */
const screenOpeningQuestions: ReadonlySet<ServiceQuestion['ask']> = new Set(['drafts', 'open', 'create', 'names'])

/** Whether the answer has the routes of the home screen for the first time. */
const isFirstHome = ({ ask }: ServiceQuestion, { world }: EditorState): boolean => ask === 'home' && !world.home

/** Whether the answer opens a list of payloads for a new route. */
const isForNewRoute = (question: ServiceQuestion): boolean => question.ask === 'payloads' && question.of.route === undefined

/** The questions that write. Before the editor ends, it waits for their answers. */
const writingQuestions: ReadonlySet<ServiceQuestion['ask']> = new Set(['save', 'create', 'keepDraft', 'dropDraft', 'addSample', 'addTest'])
/** Milliseconds that the end of the editor waits for unfinished writes. */
const lastWritesMs = 5_000

/** Makes the set of unfinished writes. `whole` resolves when they are finished, or after `lastWritesMs`. */
const createUnfinishedWrites = () => {
  const going = new Set<Promise<unknown>>()
  return {
    add(work: Promise<unknown>): void {
      going.add(work)
      void work.finally(() => going.delete(work))
    },
    whole: (): Promise<unknown> => within(Promise.allSettled([...going]), lastWritesMs, unrefClock, () => undefined),
  }
}

/** Asks the service. Resolves to its answer, or to the message `failed` if the service throws. Never rejects. */
export const askService = async (service: EditorService, question: ServiceQuestion): Promise<ServiceAnswer> => {
  try {
    const answer = await (service[question.ask] as (of: ServiceQuestion['of']) => Promise<never>)(question.of)
    return { type: question.ask, of: question.of, answer } as ServiceAnswer
  } catch (error) {
    const hint = error instanceof Fault ? error.hint : undefined
    return { type: 'failed', ask: question.ask, message: messageOf(error), ...(hint === undefined ? {} : { hint }) }
  }
}

type PreviewQuestion = Extract<ServiceQuestion, { ask: 'preview' }>

/** Makes the object that asks for previews: one at a time, and always of the latest state. States between two previews are skipped. */
const createPreviews = ({ service, previewDelayMs }: QuestionOptions, tell: (message: Message) => void) => {
  let next: PreviewQuestion | undefined
  let isBusy = false
  const start = (): void => {
    const question = next
    next = undefined
    if (!question) return
    isBusy = true
    void askService(service, question).then((told) => {
      isBusy = false
      tell(told)
      if (next) timer.startUnlessRunning(previewDelayMs)
    })
  }
  const timer = new Timer(systemClock, start)
  return {
    ask(question: PreviewQuestion): void {
      next = question
      if (!isBusy) timer.startUnlessRunning(previewDelayMs)
    },
    close: (): void => timer.stop(),
  }
}
