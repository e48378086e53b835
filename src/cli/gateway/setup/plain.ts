/**
 * Asks the questions of `gateway setup` for screen readers and plain terminals: lines are only added, menus have numbers, and nothing is
 * drawn.
 */

import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { printable } from '../../../core/text.ts'
import type { Question } from '../../../setup/question.ts'
import { cancelledFault, type TerminalStreams } from '../../shell/io.ts'
import type { Prompter } from './prompter.ts'

/** Returns the prompter in plain lines. `signal`: breaks off an open question, which then throws a Fault. */
export const plainPrompter = (streams: TerminalStreams, signal: AbortSignal): Prompter => {
  const terminal = openLines(streams, signal)
  const say = (text: string): void => void streams.output.write(`${printable(text, 2000)}\n`)
  return {
    asksPerson: true,
    async ask(question) {
      while (true) {
        const answer = answerIn(await terminal.read(questionPrompt(question, say), question.kind === 'secret'), question)
        if (answer !== undefined) return answer
        say('That is none of the choices.')
      }
    },
    tell: (severity, message, help) =>
      say(`${severity === 'info' ? '' : `${severity}: `}${message}${help === undefined ? '' : `. ${help}`}`),
    show(title, block) {
      say(title)
      for (const line of block) say(line)
    },
    close: terminal.close,
  }
}

type Lines = {
  /**
   * Prints the prompt and reads a line. The typed text of a hidden line is not shown. Throws a Fault when the input ends, at Ctrl-C, and
   * when the signal aborts.
   */
  read(prompt: string, hidden: boolean): Promise<string>
  close(): void
}

/** Opens the terminal for reading lines. A line may be typed before its prompt is printed. */
const openLines = ({ input, output }: TerminalStreams, signal: AbortSignal): Lines => {
  /** Whether typed text is shown: only while a question that is no secret is open, because text that is typed early may be a secret. */
  let isShown = false
  const echo = new Writable({
    write(chunk, _, done) {
      if (isShown) output.write(chunk)
      done()
    },
  })
  const terminal = createInterface({ input, output: echo, terminal: true, historySize: 0 })
  // The lines that were typed before their question.
  const lines: string[] = []
  let next: ((line: string | undefined) => void) | undefined
  let isOver = false
  const hand = (line: string | undefined): void => {
    isShown = false
    if (line === undefined) isOver = true
    else if (!next) lines.push(line)
    next?.(line)
    next = undefined
  }
  terminal.on('line', hand)
  for (const event of ['SIGINT', 'close'] as const) terminal.on(event, () => hand(undefined))
  signal.addEventListener('abort', () => hand(undefined), { once: true })

  return {
    async read(prompt, hidden) {
      output.write(prompt)
      const early = lines.shift()
      if (early !== undefined) {
        output.write(hidden ? '\n' : `${printable(early)}\n`)
        return early
      }
      // After a backspace, `readline` draws the line again, and so it must know the prompt.
      terminal.setPrompt(prompt)
      isShown = !hidden
      if (isShown) output.write(printable(terminal.line))
      const line = isOver ? undefined : await new Promise<string | undefined>((resolve) => (next = resolve))
      if (hidden || line === undefined) output.write('\n')
      if (line === undefined) throw cancelledFault()
      return line
    },
    close: () => terminal.close(),
  }
}

/** Returns the prompt for the line of the answer. Of a choice, the text and the choices are said before. */
const questionPrompt = ({ kind, text, choices = [], initial, shown }: Question, say: (text: string) => void): string => {
  if (kind === 'yes-no') return `${text} 1 yes, 2 no${initial === undefined ? '' : `, Enter for ${initial}`}: `
  if (kind === 'choice') {
    say(text)
    for (const [i, { label, hint }] of choices.entries()) say(`${i + 1}. ${label}${hint === undefined ? '' : `, ${hint}`}`)
    const at = choices.findIndex(({ value }) => value === initial)
    return `Type a number${at < 0 ? '' : `, or Enter for ${at + 1}`}: `
  }
  if (kind === 'secret') {
    const keeps = shown === undefined ? '' : ` Enter keeps the one with ${shown}.`
    return `${text}${keeps} What you type is not shown: `
  }
  return `${text}${initial === undefined || initial === '' ? '' : ` Enter for ${initial}.`} `
}

/** Returns the answer that a typed line means; `undefined` if the line is no possible answer. */
const answerIn = (line: string, { kind, choices = [], initial }: Question): string | undefined => {
  const word = line.trim()
  if (kind === 'secret') return line
  if (word === '') return initial ?? (kind === 'text' ? '' : undefined)
  if (kind === 'text') return word
  if (kind === 'choice') return choices[Number(word) - 1]?.value ?? choices.find(({ value }) => value === word)?.value
  if (/^(?:1|y|yes)$/i.test(word)) return 'yes'
  return /^(?:2|n|no)$/i.test(word) ? 'no' : undefined
}
