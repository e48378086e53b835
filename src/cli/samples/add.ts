/** `samples add <name> @file|-`: keeps a request as a sample, and says which secrets and personal data of the request were replaced. */

import { usage } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import type { Replaced } from '../../dryrun/samples/scrub.ts'
import { addSample } from '../../operate/samples/add-sample.ts'
import { readTextOption } from '../shell/input.ts'
import { answer, type Cli, note } from '../shell/output.ts'

export type AddOptions = { readonly replace?: boolean }

export const samplesAdd = async (asked: string, file: string, { replace = false }: AddOptions, cli: Cli): Promise<number> => {
  if (file !== '-' && !file.startsWith('@')) throw usage(`${file}: not a file to read`, `write @${file}, or - for standard input`)
  const text = await readTextOption('samples add', file === '-' ? '@-' : file, cli.io)
  const added = await addSample(cli.workspace, asked, text, replace)
  const { name, sample, replaced, isBare, hides } = added
  if (isBare) note(cli, 'it is a payload alone, without headers: the event type is what the payload says, or --event')
  if (hides) note(cli, `it hides the sample ${name} that comes with headgate`)
  const places = replaced.slice(0, maxShown).map(({ what, at }) => `  ${what}  ${printable(at, 200)}\n`)
  const more = replaced.length > maxShown ? `  and ${replaced.length - maxShown} more\n` : ''
  return answer(cli, {
    kind: 'samples.add',
    data: {
      name,
      file: added.file,
      body_bytes: Buffer.byteLength(sample.body),
      replaced: [...replaced],
      bare: isBare,
      hides_built_in: hides,
    },
    text: `added    ${name}\nfile     ${printable(added.file)}\nreplaced ${replacedSummary(replaced)}\n${cli.quiet ? '' : `${places.join('')}${more}`}`,
  })
}

const maxShown = 20

const kinds = [
  ['secret', 'secrets'],
  ['e-mail address', 'e-mail addresses'],
  ['IP address', 'IP addresses'],
] as const

/** Returns the replaced values in words: `2 secrets, 1 e-mail address`. */
const replacedSummary = (replaced: readonly Replaced[]): string => {
  const parts = kinds.flatMap(([one, several]) => {
    const count = replaced.filter(({ what }) => what === one).length
    return count > 0 ? `${count} ${count === 1 ? one : several}` : []
  })
  return parts.join(', ') || 'nothing; look it over all the same'
}
