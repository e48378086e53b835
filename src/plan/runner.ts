/** Compiles the agent's settings to the function that asks it, with their Diagnostics. */

import type { Config } from '../config/config.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../core/diagnostic.ts'
import type { Runner, RunnerPart } from '../parts/runners/runner.ts'

export type CompiledRunner = { readonly runner: Runner; readonly notice: string | undefined; readonly diagnostics: readonly Diagnostic[] }

export const compileRunner = ({ agent }: Pick<Config, 'agent'>, runners: ReadonlyMap<string, RunnerPart>): CompiledRunner => {
  const part = runners.get(agent.runner)
  // The shape check refuses an unknown name, and that stops the start.
  if (!part) return { runner: () => Promise.reject(new Error(`no runner "${agent.runner}"`)), notice: undefined, diagnostics: [] }
  const diagnostics: Diagnostic[] = []
  const runner = part.compile(agent, (code, path, message, help) => {
    const place = agent.place?.(path)
    const more = { pointer: pointerOf(['agent', ...path]), ...(place ? { place } : {}), ...(help === undefined ? {} : { help }) }
    diagnostics.push(diagnostic(code, `agent: ${message}`, more))
  })
  return { runner, notice: part.notice, diagnostics }
}
