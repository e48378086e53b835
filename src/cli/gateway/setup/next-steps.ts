/** Says what the user should do after `gateway setup`: at the sender of the new route, and on this machine. */

import type { SetupProvider } from '../../../setup/providers.ts'
import type { SetupDraft } from '../../../setup/question.ts'
import { providerIn, routeSecretVariable, waitsForKey } from '../../../setup/route-questions.ts'
import type { Cli } from '../../shell/output.ts'

/** Returns the lines. `draft`: the answers, and what was there before. */
export const nextSteps = (draft: SetupDraft, { workspace: { self } }: Cli): readonly string[] => {
  const { answers, present } = draft
  const provider = providerIn(draft)
  const isRunning = present.status !== undefined
  const starts = answers.start === 'yes' ? [] : [isRunning ? `${self} gateway reload` : `${self} gateway run`]
  const name = answers['route.name'] ?? ''
  const commands = provider
    ? [...starts, ...(waitsForKey(provider, draft) ? [] : tryCommands(provider, name, self))]
    : [`${self} webhook subscribe hello --prompt 'Hello {name}'`, ...starts]
  const there = provider
    ? [
        `sender   ${provider.title}, at /webhooks/${name}: ${provider.senderSetup}`,
        ...(waitsForKey(provider, draft) ? routeOffLines(provider, name, draft) : []),
        ...(provider.key === 'ours' || (provider.key === 'chosen' && !answers['route.secret'])
          ? [`secret   ${self} webhook secret ${name} --reveal`]
          : []),
      ]
    : []
  return [...there, ...commands.map((command, i) => `${i === 0 ? 'next' : '    '}     ${command}`)]
}

/** Says that the route is off until the key of its sender is known, and where to write the key once the sender shows it. */
const routeOffLines = (provider: SetupProvider, name: string, draft: SetupDraft): readonly string[] => {
  const variable = routeSecretVariable(provider, draft)
  const { env, config } = draft.present.files
  return [
    `off      until the key is here: ${provider.shown}`,
    `         put ${variable}=<the key> into ${env},`,
    `         and in ${config} write secret: \${${variable}} in the place of enabled: false of ${name}`,
  ]
}

/**
 * Returns the commands that try the route. Where headgate can sign as the sender does, a signed sample is posted. Otherwise a sample is
 * traced without a signature.
 */
const tryCommands = ({ isSignable, sample }: SetupProvider, name: string, self: string): readonly string[] =>
  isSignable ? [`${self} webhook test ${name} --sample ${sample} --wait`] : [`${self} webhook trace ${name} --sample ${sample}`]
