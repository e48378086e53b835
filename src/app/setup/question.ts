/** What a question is, and what the wizard knows while it asks. A question is data: a terminal, a screen reader and options answer it alike. */

import type { Path } from '../../core/diagnostic.ts'
import type { Json } from '../../core/json.ts'
import type { Present } from './present.ts'

/** By the id of the question; of a yes-no question `yes` or `no`. */
export type Answers = { readonly [id: string]: string }

/** Answers that options give, to questions that may come. */
export type Given = { readonly [id: string]: { readonly flag: string; readonly answer: string } }

export type Draft = { readonly present: Present; readonly answers: Answers; readonly given: Given }

export type Choice = { readonly value: string; readonly label: string; readonly hint?: string }

/** What speaks against an answer. A warning may be overruled. */
export type Objection = { readonly severity: 'error' | 'warning'; readonly message: string; readonly help?: string }

/** Where an answer goes: a variable of `.env`, or a place in `config.yaml`. */
export type Write =
  | { readonly to: 'env'; readonly name: string; readonly value: string; readonly isSecret?: true }
  | { readonly to: 'config'; readonly path: Path; readonly value: Json }

/** How a trial went. */
export type TrialResult = { readonly ok: boolean; readonly text: string }

export type Question = {
  readonly id: string
  /** The option that answers it. */
  readonly flag: string
  readonly kind: 'yes-no' | 'choice' | 'text' | 'secret'
  /** The question itself, in one sentence. */
  readonly text: string
  readonly choices?: readonly Choice[]
  /** What Enter takes; of a secret the empty text, which keeps what is there. Without it, something must be answered. */
  readonly initial?: string
  /** What is taken where nobody is asked; absent: what Enter takes. */
  readonly unasked?: string
  /** What is set today, as it may be shown. */
  readonly shown?: string
  readonly check?: (answer: string) => Objection | undefined | Promise<Objection | undefined>
  readonly writes?: (answer: string) => readonly Write[]
  /** Is run as soon as the answer is yes. When it fails, the questions with the ids `about` may be asked again. */
  readonly trial?: { readonly what: 'ask the agent' | 'send to the target'; readonly doing: string; readonly about: readonly string[] }
}

export const yesNo = (about: Omit<Question, 'kind'> & { readonly initial: 'yes' | 'no' }): Question => ({ ...about, kind: 'yes-no' })

export const error = (message: string, help?: string): Objection => ({
  severity: 'error',
  message,
  ...(help === undefined ? {} : { help }),
})

export const warning = (message: string, help?: string): Objection => ({ ...error(message, help), severity: 'warning' })
