/** `edit [route]`: runs the terminal editor of routes. Modules that the first frame of the editor does not need are loaded later. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usage } from '../core/fault.ts'
import { printable } from '../core/text.ts'
import { auditedService } from '../edit/audited-service.ts'
import { openServiceInThread } from '../editor-thread/service-in-thread.ts'
import { gatewayAt } from '../http/control/client.ts'
import { runEditor } from '../tui/edit.ts'
import { readKeymap } from '../tui/model/keys-file.ts'
import type { EditorEnd } from '../tui/terminal/endings.ts'
import { commandUser, openCommandAudit } from './audited-commands.ts'
import type { ProfileOption } from './shell/grammar-values.ts'
import { type Cli, note } from './shell/output.ts'

export type EditOptions = ProfileOption & {
  readonly readOnly?: boolean
  readonly altScreen: boolean
  readonly ascii?: boolean
  readonly mouse?: boolean
  readonly screenReader?: boolean
}

export const edit = async (route: string | undefined, given: EditOptions, cli: Cli): Promise<number> => {
  const { workspace, io } = cli
  const { dataDir, self } = workspace
  const { stdin, stdout } = process
  const open = io.edit
  if (!open || !stdin.isTTY || !stdout.isTTY) {
    throw usage('the editor needs a terminal', `without one: ${self} webhook subscribe, or ${self} webhook edit`)
  }
  const { profile } = given
  if (profile !== undefined) {
    const { checkProfile } = await import('../edit/bound-routes.ts')
    checkProfile(workspace, profile)
  }
  const options = { dataDir, profile, self, readOnly: given.readOnly === true, keymap: await readKeymap(dataDir) }
  const { service: bare, close } = openServiceInThread(workspace, profile)
  const service = auditedService(bare, await openCommandAudit(cli), commandUser(io.env))
  const around = {
    service,
    watch: async (name: string | undefined) => {
      const { watch } = await import('../operate/events/watch.ts')
      return watch(workspace, gatewayAt(workspace), name === undefined ? {} : { route: name })
    },
    edit: open,
    editText: (text: string) => editInFile(text, open),
  }
  const run = async (): Promise<EditorEnd> => {
    if (given.screenReader || io.env.INK_SCREEN_READER === 'true') {
      const { runLineMode } = await import('../tui/spoken/read-aloud.ts')
      return runLineMode({ options, route, input: stdin, output: stdout }, { ...around, editFile: open })
    }
    const ascii = given.ascii ?? !isUtf8(io.env)
    const modes = { isAlternate: given.altScreen, mouse: given.mouse === true }
    return runEditor({ options, route, modes, colour: io.colour, ascii, stdin, stdout }, around)
  }
  try {
    const { exitCode, kept } = await run()
    if (kept !== undefined) note(cli, `your changes are ${printable(kept)}`)
    return exitCode
  } finally {
    await close()
  }
}

/** Whether the locale is UTF-8. A terminal with another locale gets ASCII only. */
const isUtf8 = ({ LC_ALL, LC_CTYPE, LANG }: Cli['io']['env']): boolean => /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || 'utf-8')

/**
 * Opens a text in the user's editor, as a temporary file, and returns the edited text. The text may hold a payload, so only the user can
 * read the file, and the file is deleted as soon as the editor has ended.
 */
const editInFile = async (text: string, open: (file: string) => Promise<void>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'headgate-'))
  const file = join(folder, 'text.txt')
  try {
    await writeFile(file, text, { mode: 0o600 })
    await open(file)
    return await readFile(file, 'utf8')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
