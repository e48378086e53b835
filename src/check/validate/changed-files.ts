/** Asks git which files are changed against a commit, or not tracked yet (`--changed`). */

import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Env } from '../../config/env.ts'
import { usage } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { baseEnv, failureOf, runChild } from '../../process/child.ts'

const timeoutMs = 60_000
const maxStdoutBytes = 67_108_864

/** The changed files of some repositories. */
export interface ChangedFiles {
  has(file: string): boolean
}

/**
 * Asks the git repositories around the paths for the files that differ from the commit `ref` or are not tracked. Throws a usage Fault where
 * git cannot answer, as for a path outside of a repository or an unknown commit.
 */
export const changedFiles = async (paths: readonly string[], ref: string, env: Env): Promise<ChangedFiles> => {
  if (ref === '' || ref.startsWith('-')) throw usage(`--changed: "${ref}" is no commit`)
  const tops = new Set<string>()
  for (const path of paths) tops.add(await repositoryOf(path, env))
  const files = new Set<string>()
  for (const top of tops) {
    for (const name of await git(top, ['diff', '--name-only', '--no-relative', '--no-ext-diff', '-z', ref, '--'], env))
      files.add(join(top, name))
    for (const name of await git(top, ['ls-files', '--others', '--exclude-standard', '-z'], env)) files.add(join(top, name))
  }
  return { has: (file) => existsSync(file) && files.has(realpathSync(file)) }
}

/** Returns the folder of the repository around a path. */
const repositoryOf = async (path: string, env: Env): Promise<string> => {
  const whole = resolve(path)
  if (!existsSync(whole)) throw usage(`no such path: ${path}`)
  const [top = ''] = await git(statSync(whole).isDirectory() ? whole : dirname(whole), ['rev-parse', '--show-toplevel'], env)
  return realpathSync(top.replace(/\n$/, ''))
}

/**
 * Runs git in the folder, and returns its output, split at NUL characters. `core.fsmonitor` is off, because a repository could name any
 * program in that setting. Throws a usage Fault when git fails.
 */
const git = async (folder: string, args: readonly string[], env: Env): Promise<readonly string[]> => {
  const argv = ['git', '-c', 'core.fsmonitor=false', ...args]
  const result = await runChild({ argv, env: { ...baseEnv(env), LC_ALL: 'C' }, cwd: folder, timeoutMs, maxStdoutBytes })
  if (result.kind === 'exited' && result.code === 0) return result.stdout.split('\0').filter((name) => name !== '')
  if (result.kind === 'failed' && result.notFound) throw usage('--changed asks git, which is not on the PATH', 'install git')
  const why = result.kind === 'exited' ? result.stderr : (failureOf(result) ?? '')
  if (why.includes('not a git repository'))
    throw usage(`--changed: ${folder} is not in a git repository`, 'without --changed all files are checked')
  const unknown = /bad revision|unknown revision|ambiguous argument/.test(why)
  const [line = ''] = why.trim().split('\n')
  throw usage(`--changed: git ${unknown ? 'knows no such commit' : 'failed'}: ${printable(line, 300)}`)
}
