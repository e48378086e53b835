/** Asks npm whether a newer version of headgate is published. Only `headgate upgrade --check` does so: nothing asks by itself. */

import type { Env } from '../config/env.ts'
import { exit, Fault } from '../core/fault.ts'
import { version } from '../datadir/version.ts'
import { failureOf, runChild } from '../process/child.ts'

/** `latest`: the version that is published as the latest. */
export type Versions = { readonly current: string; readonly latest: string; readonly isNewer: boolean }

const timeoutMs = 60_000
const argv = ['npm', 'view', 'headgate@latest', 'version', '--json', '--fetch-retries=0', '--loglevel=error', '--no-update-notifier']

/**
 * Runs `npm view`, so that npm's own settings say which registry is asked, and how. `env`: the whole environment of npm. Throws a Fault
 * where npm is missing or gets no version.
 */
export const findNewerVersion = async (env: Env): Promise<Versions> => {
  const result = await runChild({ argv, env, timeoutMs })
  const failure = failureOf(result)
  const latest = failure === undefined && result.kind === 'exited' ? versionIn(result.stdout) : undefined
  if (latest !== undefined) return { current: version, latest, isNewer: isNewer(latest, version) }
  throw new Fault('unknown_version', `npm does not say which version is the latest: ${failure ?? 'its answer is no version'}`, {
    exitCode: exit.no,
    hint: 'try it yourself: npm view headgate version',
  })
}

/** Returns the version in a JSON document that is a version and nothing else. */
const versionIn = (text: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' && value.length <= 64 && versionPattern.test(value) ? value : undefined
  } catch {
    return undefined
  }
}

const versionPattern = /^(\d+)\.(\d+)\.(\d+)(-[\w.-]+)?$/

/** Whether `a` comes after `b`. Of one version, all releases before it (`-rc.1`) count as equal. */
const isNewer = (a: string, b: string): boolean => {
  const [, ...ofA] = versionPattern.exec(a) ?? []
  const [, ...ofB] = versionPattern.exec(b) ?? []
  for (const i of [0, 1, 2]) if (ofA[i] !== ofB[i]) return Number(ofA[i]) > Number(ofB[i])
  return ofA[3] === undefined && ofB[3] !== undefined
}
