/** What to do after setting up: at the sender, and here. */

import type { Draft } from '../../../app/setup/question.ts'
import { providerIn } from '../../../app/setup/route-questions.ts'
import type { Cli } from '../../shell/output.ts'

export const nextSteps = (draft: Draft, { workspace: { self } }: Cli): readonly string[] => {
  const { answers, present } = draft
  const provider = providerIn(draft)
  const isRunning = present.status !== undefined
  const starts = answers.start === 'yes' ? [] : [isRunning ? `${self} gateway reload` : `${self} gateway run`]
  const name = answers['route.name'] ?? ''
  const commands = provider
    ? [...starts, `${self} webhook test ${name} --sample ${provider.sample} --wait`]
    : [`${self} webhook subscribe hello --prompt 'Hello {name}'`, ...starts]
  const there = provider
    ? [
        `sender   ${provider.title}, at /webhooks/${name}: ${provider.there}`,
        ...(provider.secretFrom === 'us' ? [`secret   ${self} webhook secret ${name} --reveal`] : []),
      ]
    : []
  return [...there, ...commands.map((command, i) => `${i === 0 ? 'next' : '    '}     ${command}`)]
}
