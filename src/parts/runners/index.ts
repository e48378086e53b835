/** The list of built-in runners, and a map by the names that `agent.runner` takes. */

import { anthropic } from './anthropic.ts'
import { command } from './command.ts'
import { echo } from './echo.ts'
import { openai } from './openai.ts'
import type { RunnerPart } from './runner.ts'

export const runners: readonly RunnerPart[] = [echo, openai, anthropic, command]

export const runnersByName: ReadonlyMap<string, RunnerPart> = new Map(runners.map((runner) => [runner.name, runner]))
