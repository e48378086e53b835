/** Runs the programs that make and pack files. */

import { execFileSync } from 'node:child_process'

/** A program that this machine does not have. */
export class MissingProgram extends Error {
  constructor(program: string) {
    super(`${program} is not installed`)
  }
}

/** Runs a program to its end and returns its output. Throws a MissingProgram, or an error with what the program wrote where it fails. */
export const run = (argv: readonly string[], options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {}): string => {
  const [program = '', ...args] = argv
  try {
    return execFileSync(program, args, { ...options, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: string; stdout?: string; stderr?: string }
    if (code === 'ENOENT') throw new MissingProgram(program)
    throw new Error(`${argv.join(' ')} failed:\n${stdout === undefined ? error : `${stdout}${stderr}`}`)
  }
}
