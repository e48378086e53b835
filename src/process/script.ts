/**
 * Runs a script of the operator, and checks scripts. A script must lie inside the scripts folder, also after links are followed, and not
 * everybody may write to it or to a folder that it is in. A failure is a result, never thrown (rules: Scripts 1, 3, 4).
 */

import { realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, extname, relative, resolve, sep } from 'node:path'
import { messageOf } from '../core/fault.ts'
import { printable } from '../core/text.ts'
import { baseEnv, type ChildEnv, envValue, failureOf, runChild } from './child.ts'

/** One run of a script. `path`: its path below the scripts folder. `input`: its stdin. `env`: its variables besides those of `baseEnv`. */
export type ScriptJob = {
  readonly path: string
  readonly input: string
  readonly timeoutMs: number
  readonly env: { readonly [name: string]: string }
}

/** `output`: the script's stdout. `why`: the reason for the failure, in words. */
export type ScriptResult = { readonly ok: true; readonly output: string } | { readonly ok: false; readonly why: string }

type ScriptLookup = { readonly file: string } | { readonly code: 'WH601' | 'WH602'; readonly message: string }

/** Returns the finding that says why a script cannot run; `undefined` when it can. For the checks of a configuration. */
export const checkScript = (folder: string, path: string): { code: 'WH601' | 'WH602'; message: string } | undefined => {
  const found = findScript(folder, path)
  return 'file' in found ? undefined : found
}

/**
 * Runs the script at `job.path` below `folder`. Never rejects. `from`: the environment of which `baseEnv` keeps some variables. The file is
 * found anew for every run. Only a user who may write to the folder could swap the file between the search and the start, and such a user
 * may rewrite the script anyway. So the script is started by its path: a start by /proc/self/fd would hide from the script which folder it
 * is in.
 */
export const runScript = async (folder: string, job: ScriptJob, from: ChildEnv = process.env): Promise<ScriptResult> => {
  const script = findScript(folder, job.path)
  if (!('file' in script)) return { ok: false, why: script.message }
  const result = await runChild({
    argv: [interpreterOf(script.file), script.file],
    env: { ...baseEnv(from), ...Object.fromEntries(Object.entries(job.env).map(([name, value]) => [name, envValue(value)])) },
    stdin: job.input,
    cwd: folder,
    timeoutMs: job.timeoutMs,
  })
  const failure = failureOf(result)
  if (result.kind === 'exited' && failure === undefined) return { ok: true, output: result.stdout }
  return { ok: false, why: `script ${JSON.stringify(job.path)}: ${failure ?? result.kind}` }
}

const syntaxMs = 10_000

/** A Python program that compiles a file and drops the result. (`py_compile` would write the result into the scripts folder.) */
const compileOnly = `import sys
try: compile(open(sys.argv[1], 'rb').read(), sys.argv[1], 'exec', dont_inherit=True)
except (SyntaxError, ValueError) as e: sys.exit('line %s: %s' % (getattr(e, 'lineno', None) or 1, getattr(e, 'msg', e)))`

/**
 * Lets a script's interpreter check the syntax of the script, without running any of it. `wrong`: the mistake; absent where the syntax is
 * right. Returns `undefined` where the check was not possible: the script cannot run (`checkScript`), or its interpreter is missing or took
 * too long.
 */
export const checkSyntax = async (folder: string, path: string, from: ChildEnv): Promise<{ readonly wrong?: string } | undefined> => {
  const found = findScript(folder, path)
  if (!('file' in found)) return undefined
  const { file } = found
  const argv = interpreterOf(file) === 'bash' ? ['bash', '-n', file] : ['python3', '-I', '-W', 'ignore', '-c', compileOnly, file]
  const result = await runChild({ argv, env: baseEnv(from), cwd: folder, timeoutMs: syntaxMs })
  if (result.kind !== 'exited') return undefined
  // Only the first line is shown: the lines after it quote the script.
  const [line = ''] = result.stderr.replaceAll(`${file}: `, '').trim().split('\n')
  return result.code === 0 ? {} : { wrong: printable(line, 200) || `exit code ${result.code}` }
}

/** Returns the interpreter of a script, `bash` or `python3`, by the ending of its file name. */
export const interpreterOf = (file: string): string => (['.sh', '.bash'].includes(extname(file)) ? 'bash' : 'python3')

/**
 * Looks up the file of a script; or returns the finding that says why it cannot run. `~` and `$` in `path` are plain characters: nothing is
 * expanded.
 */
const findScript = (folder: string, path: string): ScriptLookup => {
  const named = `script ${JSON.stringify(path)}`
  const outside: ScriptLookup = { code: 'WH602', message: `${named} lies outside the scripts folder` }
  const wanted = resolve(folder, path)
  if (!isBelow(resolve(folder), wanted)) return outside
  try {
    const root = realpathSync(folder)
    const file = realpathSync(wanted)
    if (!isBelow(root, file)) return outside
    if (!statSync(file).isFile()) return { code: 'WH601', message: `${named} is not a file` }
    const open = openTo(root, file)
    return open === undefined ? { file } : { code: 'WH601', message: `${named}: everybody may write to ${open}` }
  } catch (thrown) {
    const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : messageOf(thrown)
    return { code: 'WH601', message: code === 'ENOENT' ? `${named} does not exist` : `${named} cannot be read: ${code}` }
  }
}

const isBelow = (root: string, file: string): boolean => {
  const way = relative(root, file)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`)
}

/**
 * Returns the path that any user of the machine may write to: the file itself, or the nearest of its folders up to the root; `undefined`
 * when there is none.
 */
const openTo = (root: string, file: string): string | undefined => {
  const writable = ({ mode }: Stats): boolean => (mode & 0o002) !== 0
  for (let at = file; ; at = dirname(at)) {
    if (writable(statSync(at))) return at
    if (at === root) return undefined
  }
}
