/** What a check of `doctor` gets and gives back. A check that throws counts as failed, and does not end the other checks. */

import type { Loaded } from '../config/load.ts'
import type { Code, Diagnostic } from '../core/diagnostic.ts'
import { Fault, messageOf } from '../core/fault.ts'
import type { Status } from '../generated/control.ts'
import type { Workspace } from './workspace.ts'

/** What every check gets: the data directory, its configuration, and the running gateway's status. */
export type CheckInput = {
  readonly workspace: Workspace
  readonly loaded: Loaded
  /** The status of the running gateway; `undefined` where none runs. */
  readonly status: Status | undefined
}

/** The result of one check. `name`: what was checked. `message`: what was found. */
export type Check = {
  readonly name: string
  readonly result: 'ok' | 'warn' | 'fail'
  readonly message: string
  /** What to do about the problem: a line to type, or a sentence. */
  readonly fix?: string
  /** The code and the place with which `validate --env` reports the problem too; absent where it makes no finding of this check. */
  readonly about?: ReportedAs
}

export type ReportedAs = { readonly code: Code } & Pick<Diagnostic, 'place' | 'route'> & { readonly pointer?: string }

export const ok = (name: string, message: string): Check => ({ name, result: 'ok', message })
export const warn = (name: string, message: string, fix: string, about?: ReportedAs): Check =>
  problemFound('warn', name, message, fix, about)
export const fail = (name: string, message: string, fix: string, about?: ReportedAs): Check =>
  problemFound('fail', name, message, fix, about)

const problemFound = (result: 'warn' | 'fail', name: string, message: string, fix: string, about: ReportedAs | undefined): Check => ({
  name,
  result,
  message,
  fix,
  ...(about ? { about } : {}),
})

/** Runs a function that makes checks, and returns their results. When it throws, the error is returned as one failed check of this name. */
export const runCheck = async (name: string, look: () => Promise<readonly Check[]> | readonly Check[]): Promise<readonly Check[]> => {
  try {
    return await look()
  } catch (error) {
    return [fail(name, messageOf(error), (error instanceof Fault && error.hint) || 'headgate validate')]
  }
}
