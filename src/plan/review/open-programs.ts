/** Finds programs and plug-ins that a configuration names and that other users could replace: they run with the gateway's rights (WH337). */

import { type Stats, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import type { Env } from '../../config/env.ts'
import type { FileSource } from '../../config/files.ts'
import { type Diagnostic, diagnostic, type Path, pointerOf } from '../../core/diagnostic.ts'
import { isObject, type Json, own } from '../../core/json.ts'
import { searchPathOf } from '../../process/find-program.ts'

/** A file that the gateway runs: `text` as it is written at `path`. A bare name is looked for on the PATH. */
type NamedProgram = { readonly path: Path; readonly text: string; readonly isBare: boolean }

/** Returns a finding for each program and plug-in of a configuration file that others may write to, by its own mode or by that of a folder. */
export const reviewOpenPrograms = (source: FileSource, env: Env): Diagnostic[] =>
  programsIn(source.data).flatMap(({ path, text, isBare }) => {
    const file = isBare ? onPath(text, env) : resolve(dirname(source.file), text)
    const open = file === undefined ? undefined : openTo(file)
    if (open === undefined) return []
    const help = `chmod go-w ${open}, or keep the program where only its owner may write`
    const more = { pointer: pointerOf(path), place: source.place(path), help }
    return [diagnostic('WH337', `others may replace the program ${text}: ${open} is open to them`, more)]
  })

/** The maps whose members have a `command`. */
const commandMaps: readonly Path[] = [['secrets', 'providers'], ['agents'], ['toolsets']]

const programsIn = (data: Json): readonly NamedProgram[] => {
  const owners = [['agent'], ...commandMaps.flatMap((path) => Object.keys(objectAt(data, path)).map((name) => [...path, name]))]
  const commands = owners.flatMap((path) => wordsOf(own(objectAt(data, path), 'command'), [...path, 'command']))
  const plugins = own(objectAt(data, []), 'plugins')
  const modules = (Array.isArray(plugins) ? plugins : []).flatMap((text, i) =>
    typeof text === 'string' && text.startsWith('.') ? [{ path: ['plugins', i], text, isBare: false }] : [],
  )
  return [...commands, ...modules]
}

/** Returns the program of a command, and the files among its other words, such as the script of an interpreter. */
const wordsOf = (command: Json | undefined, path: Path): NamedProgram[] =>
  (Array.isArray(command) ? command : []).flatMap((text, i) => {
    if (typeof text !== 'string' || text === '' || (i > 0 && !isAbsolute(text))) return []
    return [{ path: [...path, i], text, isBare: !text.includes('/') }]
  })

const objectAt = (data: Json, path: Path): { readonly [key: string]: Json } => {
  let at: Json | undefined = data
  for (const key of path) at = isObject(at ?? null) ? own(at as { readonly [key: string]: Json }, String(key)) : undefined
  return isObject(at ?? null) ? (at as { readonly [key: string]: Json }) : {}
}

const onPath = (name: string, env: Env): string | undefined =>
  searchPathOf(env)
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find((file) => statOf(file)?.isFile())

const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/**
 * Returns the path that others may write to: the file, or the nearest of its folders; `undefined` when there is none. In a folder with the
 * sticky bit, such as /tmp, nobody may replace what belongs to another user.
 */
const openTo = (file: string): string | undefined => {
  const stat = statOf(file)
  if (!stat?.isFile()) return undefined
  if (isOpen(stat)) return file
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const around = statOf(folder)
    if (around && isOpen(around) && (around.mode & 0o1000) === 0) return folder
    if (folder === dirname(folder)) return undefined
  }
}

/**
 * Whether other users may write the file. Write permission for the process's own group does not count: on most systems nobody else is in a
 * user's own group.
 */
const isOpen = ({ mode, gid }: Stats): boolean => (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== 0 && gid !== process.getgid?.())
