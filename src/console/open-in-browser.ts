/**
 * Opens the console in the browser of the user at this machine. The browser gets a file that leads to the address of the console, because
 * other users of the machine can read the arguments of a program, and the address has a code.
 */

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { replaceFile } from '../config/writing/replace-file.ts'

const programs: { readonly [platform: string]: readonly [program: string, ...given: string[]] } = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens the address in a browser. Opens nothing where there is no screen, or no program that opens files. Rejects when the file cannot be
 * written.
 */
export const openInBrowser = async (dataDir: string, url: string, env: { readonly [name: string]: string | undefined }): Promise<void> => {
  const hasScreen = process.platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
  if (!hasScreen) return
  const file = join(dataDir, 'state', 'console.html')
  await replaceFile(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}"><title>headgate</title>\n`)
  const [program, ...given] = programs[process.platform] ?? ['xdg-open']
  spawn(program, [...given, pathToFileURL(file).href], { detached: true, stdio: 'ignore' })
    .on('error', () => {})
    .unref()
}
