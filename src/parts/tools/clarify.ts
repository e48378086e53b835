/** The toolset `clarify`: answers at once that nobody is there, when an agent asks a person. No run has a person to ask. */

import type { Tool, ToolsetPart } from './tool.ts'

const tool: Tool = {
  name: 'clarify',
  description: 'Asks a person. In this run nobody is there to answer: decide by yourself, and say what you assumed.',
  input: {
    type: 'object',
    properties: { question: { type: 'string', description: 'The question.' } },
    required: ['question'],
    additionalProperties: false,
  },
  call: async () => 'Nobody is there to answer: an event started this run. Decide by yourself, and say in your reply what you assumed.',
}

export const clarify: ToolsetPart = {
  name: 'clarify',
  title: 'Answers at once that nobody is there',
  compile: () => async () => [tool],
}
