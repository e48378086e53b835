/** Finds the samples that the user names: by name or provider, or as a file or folder of JSON files. */

import { existsSync, readFileSync, statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { providerName } from '../../core/names.ts'
import { filesBelow } from '../../datadir/files-below.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { findSample, listSamples, readSample, refuseLinkOut, sampleNameOf, tooLargeSample } from './gallery.ts'
import { maxSampleBytes, type Sample, sampleOf } from './sample-file.ts'

/** A sample. `name`: `provider/event`, or the path of its file. */
export type ChosenSample = { readonly name: string; readonly file: string; readonly sample: Sample }

const maxSamples = 500
/** The search in a folder: the files in it, and in the folders of providers below it. */
const sampleSearch = { depth: 1, isWanted: (name: string) => name.endsWith('.json') }

/**
 * Returns each sample once, in the order of the words in `asked`. A word is the name of a sample or of a provider, else the path of a file
 * or folder. Throws a Fault for any other word, for more than 500 samples, and for a file that is not usable.
 */
export const chooseSamples = (workspace: Workspace, asked: readonly string[]): readonly ChosenSample[] => {
  const chosen = new Map<string, () => ChosenSample>()
  for (const each of asked) for (const [file, read] of filesFor(workspace, each)) chosen.set(file, read)
  if (chosen.size > maxSamples) throw usage(`${chosen.size} samples: at most ${maxSamples} are tried`)
  return [...chosen.values()].map((read) => read())
}

/** The file of a sample, and the function that reads it. */
type ChosenFile = readonly [file: string, read: () => ChosenSample]

const filesFor = (workspace: Workspace, asked: string): readonly ChosenFile[] => {
  const provider = `${providerName(asked.toLowerCase())}/`
  const named = listSamples(workspace).filter(({ name }) => name === sampleNameOf(asked) || name.startsWith(provider))
  if (named.length > 0) return named.map((known) => [known.file, () => ({ ...known, sample: readSample(known) })])
  const path = resolve(asked)
  if (!existsSync(path)) {
    if (/^[./~]|\.json$/.test(asked)) throw usage(`no such path: ${asked}`)
    return [[path, () => ({ name: asked, file: path, sample: readSample(findSample(workspace, asked)) })]]
  }
  if (!statSync(path).isDirectory()) return [[path, () => readSampleFile(path)]]
  const files = filesBelow(path, sampleSearch)
  if (files.length === 0) throw usage(`no sample in ${asked}: it has no JSON file`)
  const read = (file: string) => (): ChosenSample => {
    refuseLinkOut(file, path, `sample ${file}`)
    return readSampleFile(file)
  }
  return files.map((file) => [file, read(file)])
}

const readSampleFile = (file: string): ChosenSample => {
  const below = relative(process.cwd(), file)
  const name = below.startsWith('..') ? file : below
  try {
    const stat = statSync(file)
    if (!stat.isFile()) throw new Fault('odd_file', `sample ${name}: no regular file`, { exitCode: exit.no })
    if (stat.size > maxSampleBytes) throw tooLargeSample(`sample ${name}`)
    return { name, file, sample: sampleOf(readFileSync(file, 'utf8'), `sample ${name}`).sample }
  } catch (error) {
    throw error instanceof Fault ? error : diskFault('read', file, error)
  }
}
