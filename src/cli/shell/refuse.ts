/** Prints Diagnostics and refusals. The module is apart from other output, because code frames load the YAML parser. */

import type { Refusal } from '../../app/refusal.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { exit, Fault } from '../../core/fault.ts'
import { frames } from './frame.ts'
import type { Io } from './io.ts'
import { type Cli, note, printFault } from './output.ts'
import { paintWith } from './paint.ts'

/** Prints Diagnostics with their code frames on stderr. */
export const printDiagnostics = (found: readonly Diagnostic[], texts: ReadonlyMap<string, string>, io: Io): void => {
  if (found.length > 0) io.stderr(frames(found, texts, paintWith(io.colour)))
}

/**
 * Prints why nothing was done, and returns exit code 1. With `--json` it prints one error document. Throws the refusal's Fault where it
 * has one.
 */
export const refuse = (cli: Cli, { diagnostics, texts, outcome, notices, fault }: Refusal): number => {
  note(cli, ...notices)
  if (fault) {
    if (!cli.json) printDiagnostics(diagnostics, texts, cli.io)
    throw fault
  }
  const found = cli.json ? faultOf(diagnostics, exit.no) : undefined
  if (found) {
    printFault(found, cli.io, true)
    return exit.no
  }
  printDiagnostics(diagnostics, texts, cli.io)
  cli.io.stderr(`${outcome}\n`)
  return exit.no
}

/** Returns all errors as one Fault, with the code and the way out of the first error; `undefined` where there is no error. */
export const faultOf = (diagnostics: readonly Diagnostic[], exitCode: number): Fault | undefined => {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (!first) return undefined
  const hint = first.help === undefined ? {} : { hint: first.help }
  return new Fault(first.code, errors.map(({ message }) => message).join('; '), { exitCode, suggest: first.suggest ?? [], ...hint })
}
