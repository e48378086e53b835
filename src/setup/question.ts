/**
 * The shape of a question, and of the state of the wizard while it asks. A question does not ask by itself, so it can be shown on a
 * terminal, read by a screen reader, or answered by an option.
 */

import type { Path } from '../core/diagnostic.ts'
import type { Json } from '../core/json.ts'
import type { Present } from './present.ts'

/** Answers by the id of their question. The answer to a yes-no question is `yes` or `no`. */
export type Answers = { readonly [id: string]: string }

/** Answers that options of the command give, by the id of the question. The question may come later, or never. */
export type PresetAnswers = { readonly [id: string]: { readonly flag: string; readonly answer: string } }

/** The state of the wizard: the present setup, the answers so far, and the answers that options give. */
export type SetupDraft = { readonly present: Present; readonly answers: Answers; readonly given: PresetAnswers }

export type Choice = { readonly value: string; readonly label: string; readonly hint?: string }

/** The reason against an answer. A warning may be overruled. */
export type Objection = { readonly severity: 'error' | 'warning'; readonly message: string; readonly help?: string }

/** A value that the setup writes: to a variable of `.env`, or to a path in `config.yaml`. */
export type Write =
  | { readonly to: 'env'; readonly name: string; readonly value: string; readonly isSecret?: true }
  | { readonly to: 'config'; readonly path: Path; readonly value: Json }

/** The result of a trial. */
export type TrialResult = { readonly ok: boolean; readonly text: string }

export type Question = {
  readonly id: string
  /** The option that answers the question. */
  readonly flag: string
  readonly kind: 'yes-no' | 'choice' | 'text' | 'secret'
  /** The question itself, in one sentence. */
  readonly text: string
  readonly choices?: readonly Choice[]
  /**
   * The answer that Enter gives. For a secret it is the empty text, which stands for no new secret. Absent: the user must type an answer.
   */
  readonly initial?: string
  /** The answer where nobody can be asked; absent: the answer that Enter gives. */
  readonly unasked?: string
  /** The present setting, in a form that may be shown. */
  readonly shown?: string
  /** Returns the objection to an answer; `undefined` for an answer that is accepted. */
  readonly check?: (answer: string) => Objection | undefined | Promise<Objection | undefined>
  readonly writes?: (answer: string) => readonly Write[]
  /**
   * A trial that runs as soon as the answer is yes. `doing`: the words to show meanwhile. When the trial fails, the questions with the ids
   * `about` may be asked again.
   */
  readonly trial?: { readonly what: 'ask the agent' | 'send to the target'; readonly doing: string; readonly about: readonly string[] }
}

export const yesNo = (about: Omit<Question, 'kind'> & { readonly initial: 'yes' | 'no' }): Question => ({ ...about, kind: 'yes-no' })

export const error = (message: string, help?: string): Objection => ({
  severity: 'error',
  message,
  ...(help === undefined ? {} : { help }),
})

export const warning = (message: string, help?: string): Objection => ({ ...error(message, help), severity: 'warning' })
