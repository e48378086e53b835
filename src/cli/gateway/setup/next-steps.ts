/** What to do after setting up: at the sender, and here. */

import type { Provider } from '../../../app/setup/providers.ts'
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
    ? [...starts, ...tryCommands(provider, name, self)]
    : [`${self} webhook subscribe hello --prompt 'Hello {name}'`, ...starts]
  const there = provider
    ? [
        `sender   ${provider.title}, at /webhooks/${name}: ${provider.there}`,
        ...(provider.key === 'ours' ? [`secret   ${self} webhook secret ${name} --reveal`] : []),
      ]
    : []
  return [...there, ...commands.map((command, i) => `${i === 0 ? 'next' : '    '}     ${command}`)]
}

/** Where we cannot sign as the sender, the route is tried without its signature, or by a test event of the sender. */
const tryCommands = ({ isSignable, sample }: Provider, name: string, self: string): readonly string[] =>
  isSignable ? [`${self} webhook test ${name} --sample ${sample} --wait`] : [`${self} webhook trace ${name} --sample ${sample}`]
