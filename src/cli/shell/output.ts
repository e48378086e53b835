/** Prints the results of commands on stdout and notices on stderr. With `--json`, stdout gets one document and nothing else. */

import { exit, type Fault } from '../../core/fault.ts'
import type { Json } from '../../core/json.ts'
import { printable, printableLines } from '../../core/text.ts'
import { jsonText } from '../../datadir/json-text.ts'
import type { Warning } from '../../datadir/warning.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { Io } from './io.ts'
import { paintWith } from './paint.ts'

export const homepage = 'https://github.com/headgate/headgate'

/** Returns the address of the document that explains a code: of a finding (`WH101`), or of an error that ended a command. */
export const docsOf = (code: string): string =>
  `${homepage}/blob/main/docs/${/^WH\d{3}$/.test(code) ? `codes.md#${code.toLowerCase()}` : 'commands.md'}`

/** What each command gets besides its own arguments and options: where it reads and writes, and the options that all commands share. */
export type Cli = {
  readonly io: Io
  readonly workspace: Workspace
  /** Whether the user named the data directory, by `--data-dir` or by HEADGATE_HOME. */
  readonly asked: boolean
  readonly json: boolean
  readonly quiet: boolean
  readonly verbose: boolean
  /** Called with the data of the command's answer. */
  readonly told?: (data: Json) => void
}

/** The result of a command. `kind` and `data` are for programs (`--json`), `text` is for people. */
export type CommandAnswer = {
  readonly kind: string
  readonly data: Json
  /** The result for people. Each line ends in a line feed. */
  readonly text: string
  readonly warnings?: readonly Warning[]
  readonly exitCode?: number
}

/** Prints the result of a command, and returns the exit code: `exitCode`, or 0 where it is not given. */
export const answer = (cli: Cli, { kind, data, text, warnings = [], exitCode = exit.ok }: CommandAnswer): number => {
  cli.told?.(data)
  if (cli.json) cli.io.stdout(`${jsonText({ v: 1, kind, ok: exitCode === exit.ok, data, warnings })}\n`)
  else {
    for (const warning of warnings) warn(cli, warning)
    cli.io.stdout(text)
  }
  return exitCode
}

/** Prints one warning on stderr. */
export const warn = ({ io }: Pick<Cli, 'io'>, { code, message, severity = 'warning', help }: Warning): void =>
  io.stderr(
    `${paintWith(io.colour)[severity](`${severity}[${code}]`)} ${printable(message)}\n${help === undefined ? '' : `  ${printable(help)}\n`}`,
  )

/** Prints notices on stderr, unless `--quiet` or `--json` is given. */
export const note = ({ io, quiet, json }: Cli, ...texts: readonly string[]): void => {
  if (!quiet && !json) for (const text of texts) io.stderr(`${printableLines(text)}\n`)
}

/** Returns a function that removes the secrets of the configuration from a text. The configuration is read only now, after a failure. */
export const hiderOf = async ({ workspace }: Pick<Cli, 'workspace'>): Promise<(text: string) => string> => {
  const { workspaceRedactor } = await import('../../operate/workspace-redactor.ts')
  return workspaceRedactor(workspace)
}

/** Prints a Fault of a command that goes on, without the secrets of the configuration. */
export const printFaultOf = async (fault: Fault, cli: Cli): Promise<void> => printFault(fault.reworded(await hiderOf(cli)), cli.io, false)

/** Prints a Fault whose texts have no secret. */
export const printFault = (fault: Fault, io: Io, json: boolean): void => {
  const { code, message, suggest, hint } = fault
  if (json) {
    const error = { code, message, ...(suggest.length > 0 ? { suggest } : {}), ...(hint === undefined ? {} : { hint }), docs: docsOf(code) }
    io.stdout(`${jsonText({ v: 1, kind: 'error', ok: false, error })}\n`)
    return
  }
  const lines = [`${paintWith(io.colour).error('error:')} ${printable(message)}`]
  if (suggest.length > 0) lines.push(`  did you mean ${suggest.map((word) => `"${printable(word)}"`).join(' or ')}?`)
  if (hint !== undefined) lines.push(...hint.split('\n').map((line) => `  ${printable(line)}`))
  io.stderr(`${lines.join('\n')}\n`)
}
