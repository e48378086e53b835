/** The result of one check of `doctor`. A check that throws counts as failed, and does not end the other checks. */

import type { Loaded } from '../../config/load.ts'
import type { Code, Diagnostic } from '../../core/diagnostic.ts'
import { Fault, messageOf } from '../../core/fault.ts'
import type { Status } from '../../generated/control.ts'
import type { Workspace } from '../workspace.ts'

/** The data that every check may use. */
export type Patient = {
  readonly workspace: Workspace
  readonly loaded: Loaded
  /** The status of the running gateway; `undefined` where none runs. */
  readonly status: Status | undefined
}

export type Check = {
  readonly name: string
  readonly result: 'ok' | 'warn' | 'fail'
  readonly message: string
  /** The way out: a line to type, or a sentence. */
  readonly fix?: string
  /** The code and the place with which `validate --env` reports the check. */
  readonly about?: ReportedAs
}

export type ReportedAs = { readonly code: Code } & Pick<Diagnostic, 'place' | 'route'> & { readonly pointer?: string }

export const ok = (name: string, message: string): Check => ({ name, result: 'ok', message })
export const warn = (name: string, message: string, fix: string, about?: ReportedAs): Check => amiss('warn', name, message, fix, about)
export const fail = (name: string, message: string, fix: string, about?: ReportedAs): Check => amiss('fail', name, message, fix, about)

const amiss = (result: 'warn' | 'fail', name: string, message: string, fix: string, about: ReportedAs | undefined): Check => ({
  name,
  result,
  message,
  fix,
  ...(about ? { about } : {}),
})

/** Runs checks. When they throw, the error is returned as a failed check. */
export const runCheck = async (name: string, look: () => Promise<readonly Check[]> | readonly Check[]): Promise<readonly Check[]> => {
  try {
    return await look()
  } catch (error) {
    return [fail(name, messageOf(error), (error instanceof Fault && error.hint) || 'headgate validate')]
  }
}
