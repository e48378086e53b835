/** Finds missing programs: the interpreter of a route's script, and the command of the agent. */

import { extname } from 'node:path'
import type { Config } from '../../config/config.ts'
import { defaultProfile } from '../../config/config.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../../core/diagnostic.ts'
import { printable } from '../../core/text.ts'
import { searchPathOf } from '../../process/find-program.ts'
import { interpreterOf } from '../../process/script.ts'
import type { Catalogue } from '../compile.ts'
import { runnerSettings } from '../runner.ts'
import type { ReviewContext } from './review-context.ts'
import type { Subject } from './subject.ts'

/** Returns the PATH of the gateway's own environment, in which scripts and the agent run. */
const gatewayPath = ({ profiles }: Config): string => searchPathOf(profiles.get(defaultProfile)?.env ?? {})

export const reviewScript = ({ spec, config, hasProgram, say }: Subject): void => {
  if (spec.script === undefined) return
  const program = interpreterOf(spec.script)
  if (hasProgram(program, gatewayPath(config))) return
  const message = `the script ${JSON.stringify(printable(spec.script, 80))} runs with ${program}, which is not on the PATH: every event is ignored`
  say('WH603', ['script'], message, {
    help:
      extname(spec.script) === '' ? `install ${program}, or name the script .sh` : `install ${program}, or extend the PATH of the gateway`,
  })
}

type ProgramContext = Pick<ReviewContext, 'config' | 'hasProgram'> & { readonly catalogue: Pick<Catalogue, 'runners'> }

export const reviewAgent = ({ config, hasProgram, catalogue }: ProgramContext): Diagnostic[] => {
  const { agent } = config
  const part = catalogue.runners.get(agent.runner)
  const name = part?.program?.(runnerSettings(part, config))
  // A command with a folder is not searched for on the PATH.
  if (!name || name.includes('/') || hasProgram(name, gatewayPath(config))) return []
  const path = name === agent.command?.[0] ? ['command', 0] : ['runner']
  const place = agent.place?.(path)
  return [
    diagnostic('WH227', `agent: the command "${printable(name, 80)}" is not on the PATH: every run fails`, {
      pointer: pointerOf(['agent', ...path]),
      ...(place ? { place } : {}),
      help: 'install it where the gateway runs, or write its whole path',
    }),
  ]
}
