/** `upgrade --check`: says whether a newer version is published. Exit 1 when there is one. */

import { findNewerVersion } from '../check/newer-version.ts'
import { exit, usage } from '../core/fault.ts'
import { answer, type Cli } from './shell/output.ts'

const install = 'npm install -g headgate@latest'

export const upgrade = async ({ check }: { readonly check?: boolean }, cli: Cli): Promise<number> => {
  if (!check)
    throw usage(
      'headgate does not replace itself: use the program that installed it',
      `${install}; whether there is a newer version: headgate upgrade --check`,
    )
  const { current, latest, isNewer } = await findNewerVersion(cli.io.env)
  return answer(cli, {
    kind: 'upgrade.check',
    data: { current, latest, newer: isNewer },
    text: isNewer ? `${latest} is published, this is ${current}\n  ${install}\n` : `${current} is the latest (published: ${latest})\n`,
    exitCode: isNewer ? exit.no : exit.ok,
  })
}
