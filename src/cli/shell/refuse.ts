/**
 * Prints Diagnostics, and the reasons why a use case did nothing (a refusal). The module is apart from `output.ts`, because code frames
 * load the YAML parser, which most commands do not need.
 */

import type { Diagnostic } from '../../core/diagnostic.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { Refusal } from '../../datadir/refusal.ts'
import { frames } from './frame.ts'
import type { Io } from './io.ts'
import { type Cli, note, printFault } from './output.ts'
import { paintWith } from './paint.ts'

/** Prints Diagnostics with their code frames on stderr. */
export const printDiagnostics = (found: readonly Diagnostic[], texts: ReadonlyMap<string, string>, io: Io): void => {
  if (found.length > 0) io.stderr(frames(found, texts, paintWith(io.colour)))
}

/**
 * Prints why nothing was done, and returns exit code 1. With `--json`, prints the errors as one error document. Throws the Fault of a
 * refusal that has one.
 */
export const printRefusal = (cli: Cli, { diagnostics, texts, outcome, notices, fault }: Refusal): number => {
  note(cli, ...notices)
  if (fault) {
    if (!cli.json) printDiagnostics(diagnostics, texts, cli.io)
    throw fault
  }
  const found = cli.json ? errorsAsFault(diagnostics, exit.no) : undefined
  if (found) {
    printFault(found, cli.io, true)
    return exit.no
  }
  printDiagnostics(diagnostics, texts, cli.io)
  cli.io.stderr(`${outcome}\n`)
  return exit.no
}

/** Prints why a configuration cannot be used, and returns exit code 78. With `--json`, prints one error document. */
export const refuseUnusable = ({ io, json }: Cli, found: readonly Diagnostic[], texts: ReadonlyMap<string, string>): number => {
  const fault = json ? errorsAsFault(found, exit.config) : undefined
  if (fault) printFault(fault, io, true)
  else printDiagnostics(found, texts, io)
  return exit.config
}

/** Returns all errors as one Fault, with the code, the help and the suggestions of the first error; `undefined` where there is no error. */
export const errorsAsFault = (diagnostics: readonly Diagnostic[], exitCode: number): Fault | undefined => {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (!first) return undefined
  const hint = first.help === undefined ? {} : { hint: first.help }
  return new Fault(first.code, errors.map(({ message }) => message).join('; '), { exitCode, suggest: first.suggest ?? [], ...hint })
}
