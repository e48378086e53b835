/** Opens a payload in the user's editor before the payload is sent. */

import { readFile } from 'node:fs/promises'
import { exit, Fault, usage } from '../../core/fault.ts'
import { isJson } from '../../core/json.ts'
import { compactJson, prettyJson } from '../../datadir/json-text.ts'
import { type TextDraft, type WorkResult, wantsAgain, withDrafts } from '../shell/draft.ts'
import type { Io } from '../shell/io.ts'
import { type Cli, printFault } from '../shell/output.ts'

/**
 * Opens a body in the editor and returns the edited body: the same text where nothing was changed, and JSON for JSON. Throws a Fault for a
 * body that cannot be sent.
 */
export type EditByHand = (body: string) => Promise<string>

type EditedPayload = {
  readonly name: string
  /** The advice for the case that there is no terminal. */
  readonly instead: string
}

/**
 * Does `work`, which gets a function that lets the user edit a payload. The draft with the payload stays until the work is done. Throws a
 * usage Fault where there is no terminal.
 */
export const withPayloadByHand = async <T>(
  { name, instead }: EditedPayload,
  cli: Cli,
  work: (byHand: EditByHand) => Promise<WorkResult<T>>,
): Promise<T> => {
  const { edit } = cli.io
  if (!edit) throw usage('--edit needs a terminal', `without one: ${instead}`)
  return withDrafts(cli, (open) =>
    work(async (body) => {
      const draft: TextDraft = isJson(body)
        ? { name, extension: 'json', text: `${prettyJson(body)}\n` }
        : { name, extension: 'txt', text: `${body}\n` }
      const text = await editPayload(draft, await open(draft), edit, cli)
      if (text === draft.text) return body
      return draft.extension === 'json' ? compactJson(text) : text.replace(/\n$/, '')
    }),
  )
}

/** Opens the draft in the editor until its text can be sent, and returns the text. Throws a Fault where the user gives up. */
const editPayload = async ({ extension }: TextDraft, file: string, edit: NonNullable<Io['edit']>, cli: Cli): Promise<string> => {
  for (;;) {
    await edit(file)
    const text = await readFile(file, 'utf8')
    if (text.trim() === '') throw new Fault('cancelled', 'the payload is empty: nothing was sent', { exitCode: exit.cancelled })
    if (extension !== 'json' || isJson(text)) return text
    const wrong = new Fault('bad_payload', 'the payload is not valid JSON: nothing was sent', { exitCode: exit.no })
    if (cli.json || !cli.io.ask) throw wrong
    printFault(wrong, cli.io, false)
    if (!(await wantsAgain(cli))) throw new Fault('cancelled', 'nothing was sent', { exitCode: exit.cancelled })
  }
}
