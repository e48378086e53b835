/** Finds the files that a path of `include` names: the path of one file, or a pattern whose last part has a `*`. */

import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { codeOf } from '../../core/fault.ts'
import { testFileForm } from '../../core/names.ts'
import { isInside } from '../../expr/inside-file.ts'

export const maxFiles = 1_000

export const isPattern = (path: string): boolean => basename(path).includes('*')

/** Matches the names that a pattern finds, whatever it says: no hidden files, and no copies that editors leave, such as `x.yaml~`. */
const routesFileForm = /^[^.].*\.(?:ya?ml|json)$/

/**
 * Returns the files of a folder whose names a pattern matches, sorted by name; none where there is no such folder. Files of tests, and
 * folders, are left out. A link is as good as the file that it leads to. Throws the error of the system where the folder cannot be read.
 */
export const filesMatching = (pattern: string): string[] => {
  const folder = dirname(pattern)
  return namesIn(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter((file) => finds(pattern, file) && !isFolder(file))
}

export const finds = (pattern: string, path: string): boolean => {
  const name = basename(path)
  return dirname(path) === dirname(pattern) && matches(basename(pattern), name) && routesFileForm.test(name) && !testFileForm.test(name)
}

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return []
    throw error
  }
}

/**
 * Whether a name has the texts between the stars of a pattern, in their order. Unlike a RegExp, this takes a time linear in the length of
 * the name.
 */
const matches = (pattern: string, name: string): boolean => {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop() ?? ''
  let at = first.length
  for (const part of others) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.startsWith(first) && name.endsWith(last) && name.length - last.length >= at
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    // Whoever reads the file reports why it cannot be read.
    return false
  }
}

/**
 * Whether a path leads by links out of the folders `roots`, or to nothing. Both are one answer, so that nobody learns by a link of his which
 * files exist elsewhere.
 */
export const leadsOut = (path: string, roots: readonly string[]): boolean => {
  try {
    const real = realpathSync(path)
    return !roots.some((root) => real === root || isInside(root, real))
  } catch (error) {
    return isLink(path) && codeOf(error) !== 'ELOOP'
  }
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
