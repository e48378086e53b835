/** A payload in the user's editor, before it is sent. */

import { readFile } from 'node:fs/promises'
import { compactJson, isJson, prettyJson } from '../../app/json-text.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { type Draft, wantsAgain, withDraft } from '../shell/draft.ts'
import type { Io } from '../shell/io.ts'
import { type Cli, printFault } from '../shell/output.ts'

/** Opens the body; JSON must stay JSON. Throws a usage Fault where there is no terminal, and a Fault for what cannot be sent. */
export const payloadByHand =
  (route: string, cli: Cli) =>
  async (body: string): Promise<string> => {
    const { edit } = cli.io
    if (!edit) throw usage('--edit needs a terminal', 'without one: --set path=value, or --payload @file')
    if (!isJson(body)) return written({ name: route, extension: 'txt', text: `${body}\n` }, edit, cli)
    return compactJson(await written({ name: route, extension: 'json', text: `${prettyJson(body)}\n` }, edit, cli))
  }

const written = (draft: Draft, edit: NonNullable<Io['edit']>, cli: Cli): Promise<string> =>
  withDraft(draft, cli, async (file) => {
    for (;;) {
      await edit(file)
      const text = (await readFile(file, 'utf8')).replace(/\n$/, '')
      if (text.trim() === '') throw new Fault('cancelled', 'the payload is empty: nothing was sent', { exitCode: exit.cancelled })
      if (draft.extension !== 'json' || isJson(text)) return { done: true, result: text }
      const wrong = new Fault('bad_payload', 'the payload is not valid JSON: nothing was sent', { exitCode: exit.no })
      if (cli.json || !cli.io.ask) throw wrong
      printFault(wrong, cli.io, false)
      if (!(await wantsAgain(cli))) throw new Fault('cancelled', 'nothing was sent', { exitCode: exit.cancelled })
    }
  })
