/** Finds a program on the PATH, in absolute folders only: the meaning of a relative folder depends on where the gateway was started. */

import { accessSync, constants, statSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/**
 * Returns the PATH for the programs of a profile. `env`: the profile's environment, which comes from its `.env` file. Where that has no
 * PATH, the PATH of this process is used, because a PATH is not a credential.
 */
export const searchPathOf = (env: { readonly PATH?: string | undefined }): string => env.PATH ?? process.env.PATH ?? ''

/** Returns the absolute path of a program; `undefined` when no folder has it. `search`: a PATH. */
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

/** Whether a folder of the PATH `search` has the program. This blocks the event loop, so nothing that serves requests calls it. */
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
