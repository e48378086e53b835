/** Writes what stands before a prompt: the instructions of the operator, and what the marks of a stranger's text mean. */

import type { Skill } from '../runner.ts'

/**
 * Returns the operator's text, the texts of the skills and the note on the fence, with blank lines between them; an empty text where there
 * is none of them. `system`: the operator's text. `note`: absent where no text is marked.
 */
export const headOf = (parts: {
  readonly system?: string | undefined
  readonly skills: readonly Skill[]
  readonly note: string | undefined
}): string => {
  const skills = parts.skills.map(({ name, text }) => `# Skill: ${name}\n\n${text}`)
  return [parts.system, ...skills, parts.note].filter((part) => part !== undefined && part !== '').join('\n\n')
}

/** Returns a prompt with its head before it, for an agent that has no place of its own for a head. */
export const withHead = (head: string, prompt: string): string => (head === '' ? prompt : `${head}\n\n${prompt}`)
