/** Finds a command on the PATH, in absolute folders only: the meaning of a relative folder depends on where the gateway was started. */

import { accessSync, constants, statSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/**
 * Returns the PATH for the programs of a profile. A profile's environment is its `.env`, which may have no PATH. Then the process's PATH is
 * used, because a PATH is not a credential.
 */
export const searchPathOf = (env: { readonly PATH?: string | undefined }): string => env.PATH ?? process.env.PATH ?? ''

/** Returns the command's absolute path; `undefined` when no folder has it. */
export const locateProgram = async (name: string, search: string): Promise<string | undefined> => {
  for (const folder of search.split(delimiter)) {
    const file = join(folder, name)
    if (isAbsolute(folder) && (await isProgram(file))) return file
  }
  return undefined
}

const isProgram = async (file: string): Promise<boolean> => {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}

/** Whether a folder has the command. It blocks the event loop, so only checks of the configuration use it. */
export const hasProgram = (name: string, search: string): boolean =>
  search.split(delimiter).some((folder) => isAbsolute(folder) && isProgramNow(join(folder, name)))

const isProgramNow = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
