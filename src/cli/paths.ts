/** `paths`: prints the paths of the gateway's files, one a line, and whether each file exists. */

import { printable } from '../core/text.ts'
import { namedPaths } from '../datadir/paths.ts'
import { controlSocket } from '../http/control/socket-path.ts'
import { aligned } from './shell/columns.ts'
import { answer, type Cli } from './shell/output.ts'

export const paths = async (cli: Cli): Promise<number> => {
  const found = namedPaths(cli.workspace, controlSocket(cli.workspace.dataDir))
  const rows = found.map(({ name, path, exists }) => [name, exists ? 'there' : 'absent', printable(path, 4096)])
  return answer(cli, {
    kind: 'paths',
    data: { paths: [...found] },
    text: aligned(rows)
      .map((line) => `${line}\n`)
      .join(''),
  })
}
