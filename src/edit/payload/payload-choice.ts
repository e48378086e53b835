/** Turns the payload that the user chose into what use cases take: an event, a sample or a text. */

import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault } from '../../core/fault.ts'
import { tooLargeSample } from '../../dryrun/samples/gallery.ts'
import { isPayload, maxSampleBytes, parseSample, type Sample } from '../../dryrun/samples/sample-file.ts'
import type { PayloadChoice } from '../service.ts'

/** Returns the whole path of what a user typed in an editor, where no shell expands it. `~` is the home folder. */
export const typedPath = (typed: string): string => {
  const path = typed.trim()
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : resolve(path)
}

/** Returns the choice; a chosen file gets its whole path. `~` is the home folder. */
export const withWholePath = (choice: PayloadChoice): PayloadChoice => {
  if (choice.from !== 'file') return choice
  return { from: 'file', file: typedPath(choice.file) }
}

/**
 * Returns the id of the event, the name of the sample, or the content that was chosen. Throws a Fault for a file that cannot be read, is
 * too large, or is no sample.
 */
export const contentOfChoice = (
  choice: PayloadChoice,
): { readonly eventId: string } | { readonly sample: string } | { readonly payload: string } | Sample => {
  switch (choice.from) {
    case 'sample':
      return { sample: choice.name }
    case 'event':
      return { eventId: choice.id }
    case 'file':
      return readPayloadFile(choice.file)
    case 'text':
      return choice.headers ? { headers: choice.headers, body: choice.text } : { payload: choice.text }
  }
}

/** Reads a file that has a sample with headers, or a payload alone. */
const readPayloadFile = (file: string): { readonly payload: string } | Sample => {
  const text = readPayloadText(file)
  return text.trimStart().startsWith('{') && !isPayload(text) ? parseSample(text, file) : { payload: text }
}

const readPayloadText = (file: string): string => {
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (!stat) throw new Fault('not_found', `there is no file ${file}`, { exitCode: exit.notFound })
    if (!stat.isFile()) throw new Fault('odd_file', `${file} is no regular file`, { exitCode: exit.no })
    if (stat.size > maxSampleBytes) throw tooLargeSample(file)
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw error instanceof Fault ? error : diskFault('read', file, error)
  }
}
