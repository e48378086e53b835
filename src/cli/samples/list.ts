/** `samples list [provider]`: prints the samples, one a line: the built-in samples and the user's own samples. */

import { printable } from '../../core/text.ts'
import { describeSamples, type ListedSample } from '../../operate/samples/list-samples.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'

export const samplesList = async (provider: string | undefined, cli: Cli): Promise<number> => {
  const samples = describeSamples(cli.workspace, provider)
  const lines = aligned([...(cli.io.isTty ? [['NAME', 'EVENT', 'BYTES', 'FROM', 'DESCRIPTION']] : []), ...samples.map(sampleCells)])
  const { dim } = paintWith(cli.io.colour)
  const text = lines.map((line, i) => `${cli.io.isTty && i === 0 ? dim(line) : line}\n`).join('')
  return answer(cli, { kind: 'samples.list', data: { samples: [...samples] }, text })
}

const sampleCells = ({ name, source, event, body_bytes, description, problem }: ListedSample): string[] => [
  printable(name),
  printable(event ?? '', 64) || '-',
  body_bytes === null ? '-' : String(body_bytes),
  source,
  printable(problem === null ? (description ?? '') : `not usable: ${problem}`, 200) || '-',
]
