/** The meaning of each exit code, for `help --json` and for the docs. */

import { exit } from '../../core/fault.ts'

const exitCodeMeanings: { readonly [name in keyof typeof exit]: string } = {
  ok: 'done',
  no: 'the answer is no: findings, a failed test, a refused change',
  usage: 'a mistake in the command line, or nobody is there to be asked',
  internal: 'an unforeseen fault; `-v` shows where',
  unreachable: 'no gateway can be reached',
  notFound: 'there is no such route, event, job, target or sample',
  conflict: 'a conflict: changed meanwhile, or a file that is not usable',
  disabled: 'the adapter is not enabled',
  config: '`gateway run`: this configuration must not be served',
  cancelled: 'cancelled',
}

/** The exit codes with their meanings, sorted by number. */
export const exitCodes: readonly { readonly code: number; readonly meaning: string }[] = Object.entries(exitCodeMeanings)
  .map(([name, meaning]) => ({ code: exit[name as keyof typeof exit], meaning }))
  .sort((a, b) => a.code - b.code)
