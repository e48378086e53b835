/** Asks the wizard's questions for screen readers and plain terminals: lines are only added, menus have numbers, and nothing is drawn. */

import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Question } from '../../../app/setup/question.ts'
import { printable } from '../../../core/text.ts'
import { cancelled, type Terminal } from '../../shell/io.ts'
import type { Skin } from './skin.ts'

export const plainSkin = (streams: Terminal, signal: AbortSignal): Skin => {
  const terminal = openLines(streams, signal)
  const say = (text: string): void => void streams.output.write(`${printable(text, 2000)}\n`)
  return {
    isPatient: true,
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
  /** Reads a line. What is typed for a hidden line is not shown. Throws a Fault where the input ends. */
  read(prompt: string, hidden: boolean): Promise<string>
  close(): void
}

/** Opens the terminal for lines. A line may be typed before its prompt. */
const openLines = ({ input, output }: Terminal, signal: AbortSignal): Lines => {
  /**
   * Whether typed text is shown. It is shown only while a question that is no secret is open. Text that is typed early may be a secret.
   */
  let isShown = false
  const echo = new Writable({
    write(chunk, _, done) {
      if (isShown) output.write(chunk)
      done()
    },
  })
  const terminal = createInterface({ input, output: echo, terminal: true, historySize: 0 })
  // Lines that are typed before their question wait here.
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
      // The terminal needs the prompt to draw the line again, after a backspace.
      terminal.setPrompt(prompt)
      isShown = !hidden
      if (isShown) output.write(printable(terminal.line))
      const line = isOver ? undefined : await new Promise<string | undefined>((resolve) => (next = resolve))
      if (hidden || line === undefined) output.write('\n')
      if (line === undefined) throw cancelled()
      return line
    },
    close: () => terminal.close(),
  }
}

/** Writes the text above the answer's line, and returns the prompt that begins the line. */
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

/** Returns the answer that a line means; `undefined` where it means none. */
const answerIn = (line: string, { kind, choices = [], initial }: Question): string | undefined => {
  const word = line.trim()
  if (kind === 'secret') return line
  if (word === '') return initial ?? (kind === 'text' ? '' : undefined)
  if (kind === 'text') return word
  if (kind === 'choice') return choices[Number(word) - 1]?.value ?? choices.find(({ value }) => value === word)?.value
  if (/^(?:1|y|yes)$/i.test(word)) return 'yes'
  return /^(?:2|n|no)$/i.test(word) ? 'no' : undefined
}
