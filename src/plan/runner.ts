/** Compiles the agent's settings to the function that asks it, with their Diagnostics. */

import type { Config } from '../config/config.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../core/diagnostic.ts'
import { pluginName, unpluggedHelp } from '../core/names.ts'
import type { Held, Owners } from '../core/owner.ts'
import type { Report } from '../parts/report.ts'
import type { Runner, RunnerPart } from '../parts/runners/runner.ts'

export type CompiledRunner = {
  /** Holds what it has open for as long as it asks. */
  readonly runner: Runner
  /** To be released by whoever asked for the runner. */
  readonly owner: Held
  readonly notice: string | undefined
  readonly diagnostics: readonly Diagnostic[]
}

export const compileRunner = (
  { agent }: Pick<Config, 'agent'>,
  runners: ReadonlyMap<string, RunnerPart>,
  owners: Owners,
): CompiledRunner => {
  const { runner: name } = agent
  const owner = owners.create({ runner: name })
  const diagnostics: Diagnostic[] = []
  const report: Report = (code, path, message, help) => {
    const place = agent.place?.(path)
    const more = { pointer: pointerOf(['agent', ...path]), ...(place ? { place } : {}), ...(help === undefined ? {} : { help }) }
    diagnostics.push(diagnostic(code, `agent: ${message}`, more))
  }
  const part = runners.get(name)
  if (part) return { runner: holding(owner, owner.adopt(part.compile(agent, report))), owner, notice: part.notice, diagnostics }
  // Another unknown name is a Diagnostic of the file's shape already, and one that stops the start.
  if (pluginName.test(name)) report('WH711', ['runner'], `no plugin brings the runner "${name}"`, unpluggedHelp(name, runners.keys()))
  return { runner: () => Promise.reject(new Error(`no runner "${name}"`)), owner, notice: undefined, diagnostics }
}

const holding =
  (owner: Held, runner: Runner): Runner =>
  async (prompt, job) => {
    owner.hold()
    try {
      return await runner(prompt, job)
    } finally {
      owner.release()
    }
  }
