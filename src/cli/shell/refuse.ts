/** Diagnostics on stderr, with their code frames: apart from other output, for masking a frame takes the YAML parser. */

import type { Diagnostic } from '../../core/diagnostic.ts'
import { exit, Fault } from '../../core/fault.ts'
import { frames } from './frame.ts'
import type { Io } from './io.ts'
import { type Cli, printFault } from './output.ts'
import { paintWith } from './paint.ts'

/** Prints Diagnostics with their code frames on stderr. */
export const printDiagnostics = (found: readonly Diagnostic[], texts: ReadonlyMap<string, string>, io: Io): void => {
  if (found.length > 0) io.stderr(frames(found, texts, paintWith(io.colour)))
}

/** Diagnostics that forbid what was asked: printed (or one error document), exit 1. */
export const refuse = (cli: Cli, found: readonly Diagnostic[], texts: ReadonlyMap<string, string>, outcome: string): number => {
  const errors = found.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (cli.json && first) {
    const hint = first.help === undefined ? {} : { hint: first.help }
    const message = errors.map((each) => each.message).join('; ')
    printFault(new Fault(first.code, message, { exitCode: exit.no, suggest: first.suggest ?? [], ...hint }), cli.io, true)
    return exit.no
  }
  printDiagnostics(found, texts, cli.io)
  cli.io.stderr(`${outcome}\n`)
  return exit.no
}
