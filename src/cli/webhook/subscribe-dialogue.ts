/**
 * What the user is told and asked on the terminal before a subscription is saved. Some senders make the signing key themselves: for them,
 * the user is asked for that key.
 */

import { printable } from '../../core/text.ts'
import type { AskKey, WantedKey } from '../../operate/routes/sender-key.ts'
import type { SubscribeDialogue } from '../../operate/routes/subscribe.ts'
import type { Io } from '../shell/io.ts'
import { type Cli, note } from '../shell/output.ts'

/** Returns the dialogue. Its `askKey` is `undefined` where nobody can be asked. */
export const subscribeDialogue = (cli: Cli): SubscribeDialogue => ({
  note: (...notices) => note(cli, ...notices),
  askKey: cli.json ? undefined : keyPrompt(cli.io),
})

const keyPrompt = ({ askSecret, stderr }: Io): AskKey | undefined =>
  askSecret &&
  ((wanted) => {
    stderr(keyInstructions(wanted))
    return askSecret('The key, which is not shown (Enter saves nothing): ')
  })

const keyInstructions = ({ title, senderSetup: there, key, url }: WantedKey): string => {
  const at = there === undefined ? '' : `there    ${there}\n`
  return `${title} makes its key itself.\naddress  ${printable(url, maxUrl)}\n${at}key      ${key}\n`
}

const maxUrl = 1_024
