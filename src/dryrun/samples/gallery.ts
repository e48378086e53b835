/** All samples: the built-in samples, and the user's own in `<data_dir>/samples/`, which hide built-in samples of the same name. */

import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { leadsOut } from '../../config/include/find-files.ts'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault } from '../../core/fault.ts'
import { providerName } from '../../core/names.ts'
import { nearest } from '../../core/text.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { builtInSamplesFolder } from '../../parts/body/sample-payload.ts'
import { maxSampleBytes, parseSample, type Sample } from './sample-file.ts'

export type KnownSample = {
  /** The provider and the event, such as `github/push`. */
  readonly name: string
  readonly source: 'built-in' | 'user'
  readonly file: string
}

const namePart = '[a-z0-9][a-z0-9._-]{0,63}'
const nameForm = new RegExp(`^${namePart}/${namePart}$`)

/** Returns the name of a sample, in which the provider has its own name in place of an alias; `undefined` for a text that is no name. */
export const sampleNameOf = (asked: string): string | undefined => {
  const [provider = '', ...rest] = asked.trim().toLowerCase().split('/')
  const name = [providerName(provider), ...rest].join('/')
  return nameForm.test(name) ? name : undefined
}

export const userFolder = ({ dataDir }: Pick<Workspace, 'dataDir'>): string => join(dataDir, 'samples')

export const builtInSamples = (): readonly KnownSample[] => samplesIn(builtInSamplesFolder, 'built-in')

/** Returns all samples, sorted by name. A user's sample hides the built-in sample of its name. */
export const listSamples = (workspace: Pick<Workspace, 'dataDir'>): readonly KnownSample[] => {
  const all = [...builtInSamples(), ...samplesIn(userFolder(workspace), 'user')]
  return [...new Map(all.map((sample) => [sample.name, sample])).values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

const samplesIn = (folder: string, source: KnownSample['source']): KnownSample[] =>
  entriesOf(folder).flatMap((provider) =>
    entriesOf(join(folder, provider)).flatMap((file) => {
      const name = `${provider}/${file.replace(/\.json$/, '')}`
      return file.endsWith('.json') && nameForm.test(name) ? { name, source, file: join(folder, provider, file) } : []
    }),
  )

/** Returns the names in a folder; none where the folder is missing, or cannot be read. */
const entriesOf = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Returns the sample of a name. Throws a Fault with similar names where there is none. */
export const findSample = (workspace: Workspace, asked: string): KnownSample => {
  const samples = listSamples(workspace)
  const name = sampleNameOf(asked)
  const found = samples.find((sample) => sample.name === name)
  if (found) return found
  const names = samples.map((sample) => sample.name)
  // Samples with the same event are suggested, too, because the user may have named the wrong provider.
  const event = asked.toLowerCase().split('/').at(-1) ?? ''
  const sameEvent = names.filter((known) => event !== '' && known.split('/')[1] === event)
  const suggest = [...new Set([...nearest(name ?? asked, names), ...sameEvent])].slice(0, 3)
  throw new Fault('not_found', `no sample "${asked}"`, { exitCode: exit.notFound, suggest, hint: `${workspace.self} samples list` })
}

/** Reads a sample. Throws a Fault when its file is not usable, or is a link out of the data directory. */
export const readSample = ({ file, name, source }: KnownSample): Sample => {
  if (source === 'user') refuseLinkOut(file, join(file, '..', '..', '..'), `sample ${name}`)
  try {
    const stat = statSync(file)
    if (!stat.isFile()) throw new Fault('odd_file', `sample ${name}: its file is no regular one`, { exitCode: exit.no })
    if (stat.size > maxSampleBytes) throw tooLargeSample(name)
    return parseSample(readFileSync(file, 'utf8'), `sample ${name}`)
  } catch (error) {
    throw error instanceof Fault ? error : diskFault('read', file, error)
  }
}

/**
 * Throws a Fault for a link out of a folder, or to nothing: whoever may add a file to it must not show another file by it. `what` names the
 * file in messages.
 */
export const refuseLinkOut = (file: string, folder: string, what: string): void => {
  if (!leadsOut(file, [realpathSync(folder)])) return
  const hint = 'put the file itself there, or name the file that the link leads to'
  throw new Fault('link_out', `${what}: its file is a link to no file in ${folder}`, { exitCode: exit.no, hint })
}

export const tooLargeSample = (what: string): Fault =>
  new Fault('too_large', `${what} is larger than ${maxSampleBytes / 1024 / 1024} MiB`, { exitCode: exit.no })
