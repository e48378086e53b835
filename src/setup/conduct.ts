/** Goes through the questions of the setup until all are answered. An interviewer asks each question. */

import { exit, Fault, usage } from '../core/fault.ts'
import { nearest, printable } from '../core/text.ts'
import { unlessAborted } from '../core/turns/unless-aborted.ts'
import { askOnce } from '../operate/agents/ask-once.ts'
import { defaultAgent } from '../parts/named-agents.ts'
import { builtinCatalogue } from '../plan/catalogue.ts'
import { draftedConfig } from './drafted.ts'
import { type Answers, error, type Objection, type Question, type SetupDraft, type TrialResult, yesNo } from './question.ts'
import { questionsOf } from './questions.ts'
import { tryTarget } from './try-target.ts'

/** Asks the questions. An interviewer asks a person, or gives the answers itself where nobody can be asked. */
export interface Interviewer {
  /**
   * Returns an answer that is not checked yet. Throws a Fault (exit 130) when the user cancels, and a Fault (exit 2) when nobody can
   * answer.
   */
  ask(question: Question): Promise<string>
  tell(severity: Objection['severity'] | 'info', message: string, help?: string): void
  /** Whether a person answers. A person is asked again after a refused answer. */
  readonly asksPerson: boolean
}

/**
 * Returns the draft with every question answered. Throws a Fault for an option whose value is refused, for an option that no question asks
 * for, for a failed trial where nobody can be asked again, and as `ask` does. When `signal` aborts during a trial, rejects with the reason
 * of the signal.
 */
export const askQuestions = async (start: SetupDraft, interviewer: Interviewer, signal: AbortSignal): Promise<SetupDraft> => {
  let draft = start
  while (true) {
    const question = questionsOf(draft).find(({ id }) => !Object.hasOwn(draft.answers, id))
    if (!question) break
    const answer = await askUntilAccepted(question, draft, interviewer)
    draft = { ...draft, answers: { ...draft.answers, [question.id]: answer } }
    if (question.trial && answer === 'yes') draft = await runTrial(question, draft, interviewer, signal)
  }
  const [unused] = Object.entries(draft.given).filter(([id]) => !Object.hasOwn(draft.answers, id))
  if (unused) throw usage(`${unused[1].flag} has no meaning with the other options`)
  return draft
}

/** Returns the answer to a question: from an option, else from the interviewer. A person is asked until the answer is accepted. */
const askUntilAccepted = async (question: Question, { given }: SetupDraft, interviewer: Interviewer): Promise<string> => {
  const option = Object.hasOwn(given, question.id) ? given[question.id] : undefined
  if (option) return answerByOption(question, option, interviewer)
  while (true) {
    const answer = await interviewer.ask(question)
    if (!interviewer.asksPerson) return answer
    const objection = await objectionTo(question, answer)
    if (!objection) return answer
    interviewer.tell(objection.severity, objection.message, objection.help)
    if (objection.severity === 'warning' && (await interviewer.ask(overruleQuestion)) === 'yes') return answer
  }
}

const overruleQuestion = yesNo({ id: 'anyway', flag: '--yes', text: 'Take it all the same?', initial: 'no' })
const againQuestion = yesNo({ id: 'again', flag: '--yes', text: 'Answer these questions again?', initial: 'yes' })

const answerByOption = async (
  question: Question,
  { flag, answer }: SetupDraft['given'][string],
  interviewer: Interviewer,
): Promise<string> => {
  // A setting may be given by two options: as text on the command line, which other users of the machine can see, or in a file. A secret
  // must come from the file.
  if (question.kind === 'secret' && optionName(flag) !== optionName(question.flag))
    throw usage(`${flag}: it is a secret`, `pass ${question.flag}`)
  const objection = await objectionTo(question, answer)
  if (objection?.severity === 'error') throw usage(`${flag}: ${objection.message}`, objection.help)
  if (objection) interviewer.tell('warning', `${flag}: ${objection.message}`, objection.help)
  return answer
}

const optionName = (flag: string): string | undefined => flag.split(' ')[0]

const objectionTo = async ({ kind, choices = [], check }: Question, answer: string): Promise<Objection | undefined> => {
  if (kind === 'choice' && !choices.some(({ value }) => value === answer)) {
    const names = choices.map(({ value }) => value)
    const near = nearest(answer, names)
    return error(
      `"${printable(answer, 60)}" is none of the choices`,
      near.length > 0 ? `did you mean ${near.join(' or ')}?` : `one of: ${names.join(', ')}`,
    )
  }
  return check?.(answer)
}

const trials: {
  readonly [what in NonNullable<Question['trial']>['what']]: (draft: SetupDraft, signal: AbortSignal) => Promise<TrialResult>
} = {
  'ask the agent': (draft, signal) => askOnce(draftedConfig(draft).config, builtinCatalogue, defaultAgent, signal),
  'send to the target': tryTarget,
}

/**
 * Runs the trial of a question, and shows its result. When the trial fails, the user may answer the questions `about` again: the returned
 * draft is then without their answers. When it fails and nobody can answer again, throws a Fault.
 */
const runTrial = async ({ trial }: Question, draft: SetupDraft, interviewer: Interviewer, signal: AbortSignal): Promise<SetupDraft> => {
  if (!trial) return draft
  interviewer.tell('info', trial.doing)
  const { ok, text } = await unlessAborted(trials[trial.what](draft, signal), signal)
  if (ok) interviewer.tell('info', text)
  if (ok) return draft
  if (!interviewer.asksPerson) throw new Fault('trial_failed', text, { exitCode: exit.no, hint: 'nothing was written' })
  interviewer.tell('error', text)
  if ((await interviewer.ask(againQuestion)) === 'no') return draft
  const without = <T>(all: { readonly [id: string]: T }): { [id: string]: T } =>
    Object.fromEntries(Object.entries(all).filter(([id]) => !trial.about.includes(id)))
  return { ...draft, answers: without(draft.answers) as Answers, given: without(draft.given) }
}
