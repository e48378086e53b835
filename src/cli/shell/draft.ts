/** The drafts of commands that open a text in the user's editor: files in `<data_dir>/.drafts`, which nobody else may read. */

import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { diskFault } from '../../core/disk-fault.ts'
import type { Cli } from './output.ts'

/** A text to edit. The name of its file begins with `name`. */
export type TextDraft = {
  readonly name: string
  readonly extension: 'yaml' | 'json' | 'txt'
  readonly text: string
}

/** The result of work with drafts. `done`: the drafts are not needed any more. */
export type WorkResult<T> = { readonly done: boolean; readonly result: T }

/**
 * Does work that needs drafts, and returns its result. `open` writes a draft and returns the path of its file. The drafts are deleted when
 * the work says that it is done. Where it does not, or throws, the drafts stay, and their paths are printed.
 */
export const withDrafts = async <T>(
  cli: Cli,
  work: (open: (draft: TextDraft) => Promise<string>) => Promise<WorkResult<T>>,
): Promise<T> => {
  const files: string[] = []
  let isDone = false
  try {
    const { done, result } = await work(async (draft) => {
      const file = await writeDraft(draft, cli)
      files.push(file)
      return file
    })
    isDone = done
    return result
  } finally {
    for (const file of files) {
      if (isDone) await rm(file, { force: true })
      else cli.io.stderr(`the draft is kept: ${file}\n`)
    }
  }
}

const writeDraft = async ({ name, extension, text }: TextDraft, { workspace: { dataDir } }: Cli): Promise<string> => {
  const folder = join(dataDir, '.drafts')
  const file = join(folder, `${name.replace(/[^\w.-]/g, '_')}-${randomBytes(4).toString('hex')}.${extension}`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(file, text, { mode: 0o600, flag: 'wx' })
    return file
  } catch (error) {
    throw diskFault('write', file, error)
  }
}

/** Asks whether the user wants to go on editing; `false` where nobody can be asked. */
export const wantsAgain = async ({ io: { ask }, json }: Cli): Promise<boolean> =>
  ask !== undefined && !json && !/^n(o)?$/i.test((await ask('edit again? [Y/n] ')).trim())
