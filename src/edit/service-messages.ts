/** The questions and answers of the editor service as messages between threads. */

import type { EditorService } from './service.ts'

/** A question as it goes to the thread of the service. `ask`: the method's name. `of`: its argument. */
export type ServiceQuestion = {
  [Ask in keyof EditorService]: { readonly ask: Ask; readonly of: Parameters<EditorService[Ask]>[0] }
}[keyof EditorService]

/** The answer to a question, with the question's argument in `of`; or why there is no answer. */
export type ServiceAnswer =
  | {
      [Ask in keyof EditorService]: {
        readonly type: Ask
        readonly of: Parameters<EditorService[Ask]>[0]
        readonly answer: Awaited<ReturnType<EditorService[Ask]>>
      }
    }[keyof EditorService]
  | { readonly type: 'failed'; readonly ask: keyof EditorService; readonly message: string; readonly hint?: string }
