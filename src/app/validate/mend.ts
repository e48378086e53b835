/** Mends files: the fixes of what was found, on the texts that the files hold now. */

import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { replaceEntriesText } from '../../config/entry-store.ts'
import { jobsFileName } from '../../config/jobs.ts'
import { refuseReadOnly, replaceFile } from '../../config/replace-file.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { Workspace } from '../workspace.ts'
import { blocksIn } from './blocks.ts'
import { type Fixed, type FixedText, fixTexts, isWanted } from './fixes.ts'
import { type ToValidate, type Validated, validate } from './validate.ts'

export type CheckedAndMended = {
  /** What is left to be said; what was mended is not in it. */
  readonly validated: Validated
  /** Absent where nothing was to be mended. */
  readonly fixed?: Fixed
}

/** Checks, and mends where codes are given; without a code among them the safe fixes are meant. `isDry`: nothing is written. */
export const checkAndMend = async (
  workspace: Workspace,
  wanted: ToValidate,
  { codes, isDry }: { readonly codes: readonly string[] | undefined; readonly isDry: boolean },
): Promise<CheckedAndMended> => {
  const validated = await validate(workspace, wanted)
  if (!codes) return { validated }
  const fixed = planMend(validated.diagnostics, validated.texts, codes)
  if (isDry) return { validated, fixed }
  await mend(fixed)
  return { validated: await validate(workspace, wanted), fixed }
}

/**
 * What the fixes make of the files; nothing is written. Without codes the safe ones are meant.
 * `texts`: what was checked. Throws a Fault where a file holds something else by now.
 */
const planMend = (found: readonly Diagnostic[], texts: ReadonlyMap<string, string>, codes: readonly string[]): Fixed => {
  const wanted = found.filter((each) => isWanted(each, codes))
  const files = new Set(wanted.flatMap(({ fix }) => fix?.edits.map(({ place }) => place.file) ?? []))
  const current = new Map([...files].map((file) => [file, currentText(file, texts.get(file))]))
  return fixTexts(wanted, current)
}

/** Writes each file whole, with the mode it has. Throws a Fault. */
const mend = async ({ files }: Pick<Fixed, 'files'>): Promise<void> => {
  // Before any is written: a link among them is a mistake of whoever asks, and a read-only file is kept.
  for (const { file } of files) refuseReadOnly(file)
  for (const each of files) await writeMended(each)
}

const writeMended = async ({ file, before, after }: FixedText): Promise<void> => {
  const mode = statSync(file).mode & 0o777
  if ([subscriptionsFileName, jobsFileName].includes(basename(file))) return replaceEntriesText(file, before, after, mode)
  try {
    if (readFileSync(file, 'utf8') !== before) throw changed(file)
    await replaceFile(file, after, mode)
  } catch (error) {
    throw diskFault('write', file, error)
  }
}

/** The whole text of a file; of a document only blocks were checked. What is no file (standard input) is as it was checked. */
const currentText = (file: string, checked: string | undefined): string => {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return checked ?? ''
  const bytes = readFileSync(file)
  const text = bytes.toString('utf8')
  // Written back, it would be another file.
  if (!Buffer.from(text).equals(bytes)) throw new Fault('not_utf8', `${file} is not UTF-8: it is not touched`, { exitCode: exit.conflict })
  if (checked !== undefined && text !== checked && blocksIn(text).text !== checked) throw changed(file)
  return text
}

const changed = (file: string): Fault =>
  new Fault('conflict', `${file} has changed since it was checked: nothing was written`, { exitCode: exit.conflict, hint: 'try again' })
