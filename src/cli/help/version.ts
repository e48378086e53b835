/** `version`: prints the version of this program; with `--json` the version of Node and the system, too. */

import { version } from '../../datadir/version.ts'
import { answer, type Cli } from '../shell/output.ts'

export const showVersion = async (cli: Cli): Promise<number> => {
  const { versions, platform, arch } = process
  return answer(cli, { kind: 'version', data: { version, node: versions.node, platform, arch }, text: `${version}\n` })
}
