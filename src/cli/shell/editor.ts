/** Runs the user's editor on a file, in the terminal. */

import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import type { Env } from '../../config/env.ts'
import { exit, Fault, messageOf } from '../../core/fault.ts'

/**
 * Returns a function that runs the editor of the environment: $VISUAL, then $EDITOR, else vi. The variable may hold options: `code
 * --wait`. The function throws a Fault when the editor fails.
 */
export const editorOf =
  (env: Env) =>
  async (file: string, line?: number): Promise<void> => {
    const editor = env.VISUAL?.trim() || env.EDITOR?.trim() || 'vi'
    // As in git, the shell splits the words of the editor. The file is an argument of the shell and no part of its text.
    const argv = ['-c', `${editor} "$@"`, editor, ...placeArguments(editor, file, line)]
    const end = await runShell(argv, env)
    if (end !== undefined) throw new Fault('editor', `the editor ${editor} ${end}`, { exitCode: exit.no, hint: 'set VISUAL or EDITOR' })
  }

/** Returns the arguments that open a file at a line. An unknown editor opens the file at its beginning. */
const placeArguments = (editor: string, file: string, line: number | undefined): string[] => {
  const name = basename(editor.split(' ')[0] ?? '')
  if (line === undefined) return [file]
  if (/^(?:n?vim?|vi|nano|emacs(?:client)?|micro|kak|joe|ed|mg)$/.test(name)) return [`+${line}`, file]
  if (/^(?:code|codium|cursor)$/.test(name)) return ['--goto', `${file}:${line}`]
  return /^(?:hx|helix|subl|zed)$/.test(name) ? [`${file}:${line}`] : [file]
}

/** Runs a shell with these arguments. Resolves to `undefined` after exit code 0, else to words that say how the shell ended. */
const runShell = (argv: readonly string[], env: Env): Promise<string | undefined> =>
  new Promise((resolve) => {
    const child = spawn('/bin/sh', argv, { stdio: 'inherit', env: { ...env } })
    child.once('error', (error) => resolve(`did not start: ${messageOf(error)}`))
    child.once('exit', (code, signal) => resolve(code === 0 ? undefined : `ended with ${signal ?? `exit code ${code}`}`))
  })
