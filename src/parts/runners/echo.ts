/** The runner `echo`: a stand-in for an agent, which replies with the prompt itself and needs no key (rules: Agents 1). */

import type { RunnerPart } from './runner.ts'

export const echo: RunnerPart = {
  name: 'echo',
  title: 'Answers with the prompt; needs no key',
  notice: 'agent.runner is "echo", a stand-in that answers with the prompt: set it to openai, anthropic or command for real replies',
  standIn: 'answers with the prompt',
  // This runner calls no model and spends nothing, so it keeps to every budget.
  reads: ['spending'],
  compile: () => async (prompt) => prompt,
}
