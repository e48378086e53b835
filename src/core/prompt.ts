/** A prompt, and the parts of its text that a sender wrote. Runners of models mark those parts (rules: Agents 9). */

/** A part of a text: from the first offset to before the second, in UTF-16 units. */
export type TextSpan = readonly [from: number, to: number]

export type Prompt = {
  readonly text: string
  /** The parts that a sender wrote: values longer than a line, and a whole payload of any length. They are in order and do not overlap. */
  readonly untrusted: readonly TextSpan[]
}

/** Makes a prompt in which no sender wrote more than a line. */
export const plainPrompt = (text: string): Prompt => ({ text, untrusted: [] })

/** Joins prompts, and texts that no sender wrote, into one prompt. */
export const joinPrompts = (parts: readonly (string | Prompt)[]): Prompt => {
  let text = ''
  const untrusted: TextSpan[] = []
  for (const part of parts) {
    const prompt = typeof part === 'string' ? plainPrompt(part) : part
    for (const [from, to] of prompt.untrusted) untrusted.push([text.length + from, text.length + to])
    text += prompt.text
  }
  return { text, untrusted }
}

/** The most UTF-16 units of a text that counts as one line. */
const maxLineUnits = 120

/** Whether a text is longer than a line: it has a line break, or more than 120 UTF-16 units. */
export const isMoreThanALine = (text: string): boolean => text.length > maxLineUnits || /[\n\r\v\f\u0085\u2028\u2029]/.test(text)
