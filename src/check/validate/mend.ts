/** Mends files: applies the fixes of findings to the present texts of the files. */

import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { jobsFileName } from '../../config/jobs.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'
import { replaceEntriesText } from '../../config/writing/entry-store.ts'
import { refuseReadOnly, replaceFile } from '../../config/writing/replace-file.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { blocksIn } from './blocks.ts'
import { type Fixed, type FixedText, fixTexts, isWanted } from './fixes.ts'
import { type ToValidate, type Validated, validate } from './validate.ts'

export type CheckedAndMended = {
  /** The findings after mending; in a dry run, the findings before. */
  readonly validated: Validated
  /** The changed texts with the mended and the refused findings. Absent where no fixes were asked for. */
  readonly fixed?: Fixed
}

/**
 * Checks the inputs, and mends their files where `codes` are given; an empty list means all safe fixes. `isDry`: no file is written. Throws
 * a Fault as `validate` does, and where a file has changed since the check or cannot be written.
 */
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
 * Applies the wanted fixes to the present texts of the files; nothing is written. An empty list of codes means all safe fixes.
 * `texts`: the texts that were checked. Throws a Fault where a file has changed since.
 */
const planMend = (found: readonly Diagnostic[], texts: ReadonlyMap<string, string>, codes: readonly string[]): Fixed => {
  const wanted = found.filter((each) => isWanted(each, codes))
  const files = new Set(wanted.flatMap(({ fix }) => fix?.edits.map(({ place }) => place.file) ?? []))
  const current = new Map([...files].map((file) => [file, currentText(file, texts.get(file))]))
  return fixTexts(wanted, current)
}

/** Writes each file as a whole, with the mode that it has. Throws a Fault where a file has changed, or cannot be written. */
const mend = async ({ files }: Pick<Fixed, 'files'>): Promise<void> => {
  // All files are checked before the first is written. So when a file is a link, read-only or changed meanwhile, all files stay as they are.
  for (const { file } of files) refuseReadOnly(file)
  for (const each of files) await onDisk(each, refuseChanged)
  for (const each of files) await onDisk(each, writeMended)
}

/** Works on a file. Throws errors of the system as a Fault. */
const onDisk = async (fixed: FixedText, work: (fixed: FixedText) => void | Promise<void>): Promise<void> => {
  try {
    await work(fixed)
  } catch (error) {
    throw diskFault('write', fixed.file, error)
  }
}

const refuseChanged = ({ file, before }: FixedText): void => {
  if (readFileSync(file, 'utf8') !== before) throw changedFault(file)
}

const writeMended = async (fixed: FixedText): Promise<void> => {
  const { file, before, after } = fixed
  const mode = statSync(file).mode & 0o777
  if ([subscriptionsFileName, jobsFileName].includes(basename(file))) return replaceEntriesText(file, before, after, mode)
  refuseChanged(fixed)
  await replaceFile(file, after, mode)
}

/** Reads the present text of a file; for standard input, returns the checked text. Of a document only the blocks must be unchanged. */
const currentText = (file: string, checked: string | undefined): string => {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return checked ?? ''
  const bytes = readFileSync(file)
  const text = bytes.toString('utf8')
  // Writing a text that is not UTF-8 back would change other bytes, too.
  if (!Buffer.from(text).equals(bytes)) throw new Fault('not_utf8', `${file} is not UTF-8: it is not touched`, { exitCode: exit.conflict })
  if (checked !== undefined && text !== checked && blocksIn(text).text !== checked) throw changedFault(file)
  return text
}

const changedFault = (file: string): Fault =>
  new Fault('conflict', `${file} has changed since it was checked: it stays as it is`, { exitCode: exit.conflict, hint: 'try again' })
