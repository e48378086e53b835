/** Asks the questions of `gateway setup` on a terminal, with menus. */

import type { Writable } from 'node:stream'
import * as clack from '@clack/prompts'
import { printable } from '../../../core/text.ts'
import { nextTurn } from '../../../core/turns/taking-turns.ts'
import type { Question } from '../../../setup/question.ts'
import { cancelledFault, type TerminalStreams } from '../../shell/io.ts'
import type { Prompter } from './prompter.ts'
import { createQuietSwitch } from './quiet.ts'

/** The longest list that is shown whole. A longer list is searched by typing. */
const longList = 10

/** Returns the prompter with menus. `signal`: breaks off an open question, which then throws a Fault. */
export const menuPrompter = (terminal: TerminalStreams, colour: boolean, signal: AbortSignal): Prompter => {
  const output = colour ? terminal.output : withoutColour(terminal.output)
  // Each question gets an AbortSignal of its own, because the library (clack) never removes its listeners from a signal.
  const common = (): CommonOptions => ({ input: terminal.input, output, signal: AbortSignal.any([signal]) })
  const quiet = createQuietSwitch(terminal.input)
  quiet.begin()
  clack.intro('headgate gateway setup', { output })
  return {
    asksPerson: true,
    async ask(question) {
      // Two turns of the event loop later, all text that was typed before the question has been read and dropped.
      await nextTurn()
      await nextTurn()
      quiet.end()
      const answer = await askWithMenu(question, common()).finally(quiet.begin)
      if (signal.aborted || clack.isCancel(answer)) throw cancelledFault()
      if (typeof answer === 'boolean') return answer ? 'yes' : 'no'
      return question.kind === 'secret' ? answer : answer.trim()
    },
    tell(severity, message, help) {
      const text = printable(`${message}${help === undefined ? '' : `: ${help}`}`, 2000)
      const say = { error: clack.log.error, warning: clack.log.warn, info: clack.log.step }[severity]
      say(text, { output })
    },
    show: (title, lines) => clack.log.message([title, ...lines.map((line) => printable(line, 400))], { output }),
    close: quiet.end,
  }
}

/** The options that all questions to the library have. */
type CommonOptions = TerminalStreams & { readonly signal: AbortSignal }

const askWithMenu = async (question: Question, common: CommonOptions): Promise<string | boolean | typeof clack.CANCEL_SYMBOL> => {
  const { kind, text, choices = [], initial, shown } = question
  if (kind === 'yes-no') return clack.confirm({ ...common, message: text, initialValue: initial !== 'no' })
  if (kind === 'choice') {
    const options = choices.map(({ value, label, hint }) => ({ value, label, ...(hint === undefined ? {} : { hint }) }))
    const menu = { ...common, message: text, options, ...(initial === undefined ? {} : { initialValue: initial }) }
    return options.length > longList ? clack.autocomplete({ ...menu, maxItems: longList }) : clack.select(menu)
  }
  if (kind === 'secret') {
    const keeps = shown === undefined ? '' : ` Enter keeps the one with ${shown}.`
    return (await clack.password({ ...common, message: `${text}${keeps}` })) ?? ''
  }
  const preset = initial === undefined || initial === '' ? {} : { placeholder: initial, defaultValue: initial }
  return (await clack.text({ ...common, message: text, ...preset })) ?? ''
}

/** Returns the output without colours. Node 20 colours text even where NO_COLOR is set. */
const withoutColour = (output: Writable): Writable => {
  const write = (data: unknown, ...more: []): boolean => output.write(String(data).replace(/\u001b\[[\d;]*m/g, ''), ...more)
  return Object.assign(Object.create(output), { write })
}
