/** Finds missing programs: the interpreter of a route's script, and the command of the agent. */

import { extname } from 'node:path'
import type { Config } from '../../config/config.ts'
import { defaultProfile } from '../../config/config.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../../core/diagnostic.ts'
import { printable } from '../../core/text.ts'
import { agentPath } from '../../parts/named-agents.ts'
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

export const reviewAgents = ({ config, hasProgram, catalogue }: ProgramContext): Diagnostic[] =>
  [...config.agents].flatMap(([name, agent]) => {
    const part = catalogue.runners.get(agent.runner)
    const program = part?.program?.(runnerSettings(part, { agent, profiles: config.profiles }))
    // A command with a folder is not searched for on the PATH.
    if (!program || program.includes('/') || hasProgram(program, gatewayPath(config))) return []
    const path = program === agent.command?.[0] ? ['command', 0] : ['runner']
    const place = agent.place?.(path)
    const section = agentPath(name)
    return diagnostic('WH227', `${section.join('.')}: the command "${printable(program, 80)}" is not on the PATH: every run fails`, {
      pointer: pointerOf([...section, ...path]),
      ...(place ? { place } : {}),
      help: 'install it where the gateway runs, or write its whole path',
    })
  })
