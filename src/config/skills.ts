/**
 * Reads the skills of a profile. A skill is a file `skills/<name>/SKILL.md` with instructions for an agent. The file may begin with a head
 * in YAML.
 */

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, messageOf } from '../core/fault.ts'
import { isObject, own } from '../core/json.ts'
import { routeNamePattern } from '../core/names.ts'
import { cut } from '../core/text.ts'
import { readInside } from '../expr/inside-file.ts'
import { parseSource } from './yaml/source.ts'

type Skill = {
  readonly name: string
  /** The `description` in the head of the file; empty where there is none. It is cut at 1,024 UTF-16 units. */
  readonly description: string
  /** Markdown, without the head. Lines end with a line feed. */
  readonly text: string
  readonly folder: string
  /** Why the head of the file could not be read. The text is usable all the same. */
  readonly problem?: string
}

/** A skill that cannot be loaded. `isAbsent`: no skill has this name. */
type MissingSkill = { readonly name: string; readonly why: string; readonly isAbsent: boolean }

export type Skills = { readonly skills: readonly Skill[]; readonly missing: readonly MissingSkill[] }

const maxSkills = 20
const maxBytes = 262_144
const maxDescription = 1024

/**
 * Reads the skills of these names, each once, in the order of the list. Never throws: `missing` has the skills that cannot be read, and
 * those behind the twentieth.
 */
export const readSkills = (profileDir: string, names: readonly string[]): Skills => {
  const skills: Skill[] = []
  const missing: MissingSkill[] = []
  for (const [i, name] of [...new Set(names)].entries()) {
    const found = i < maxSkills ? readSkill(profileDir, name) : { why: `only ${maxSkills} skills are loaded`, isAbsent: false }
    if ('text' in found) skills.push(found)
    else missing.push({ name, ...found })
  }
  return { skills, missing }
}

/**
 * Returns the names of the folders that may hold skills of a profile; none where they cannot be listed. Whether a folder has a `SKILL.md`
 * is not checked.
 */
export const skillNames = (profileDir: string): readonly string[] => {
  try {
    const entries = readdirSync(skillsFolder(profileDir), { withFileTypes: true })
    return entries.flatMap((entry) => (routeNamePattern.test(entry.name) && !entry.isFile() ? [entry.name] : [])).sort()
  } catch {
    return []
  }
}

const skillsFolder = (profileDir: string): string => join(profileDir, 'skills')

const readSkill = (profileDir: string, name: string): Skill | Omit<MissingSkill, 'name'> => {
  if (!routeNamePattern.test(name)) return { why: 'that is no name of a skill', isAbsent: false }
  const root = skillsFolder(profileDir)
  const folder = join(root, name)
  const file = join(folder, 'SKILL.md')
  try {
    const text = readInside(file, { root, called: 'the skills folder', maxBytes })
    return { name, folder, ...parseSkill(file, text) }
  } catch (error) {
    const isAbsent = codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'
    return { why: isAbsent ? `there is no skills/${name}/SKILL.md` : messageOf(error), isAbsent }
  }
}

const headPattern = /^---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n|$)/

const parseSkill = (file: string, written: string): Pick<Skill, 'description' | 'text' | 'problem'> => {
  const whole = written.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  const [head = '', yaml = ''] = headPattern.exec(whole) ?? []
  const text = whole.slice(head.length).trim()
  // The line feed takes the place of the first line, `---`, so that line numbers are those of the file.
  const { source, diagnostics } = parseSource(file, `\n${yaml}`)
  const [problem] = diagnostics
  if (problem) return { description: '', text, problem: `its head cannot be read: ${problem.message}, in line ${problem.place?.line}` }
  if (!isObject(source?.data)) return { description: '', text, problem: 'its head is no map of keys and values' }
  const description = own(source.data, 'description')
  return { description: typeof description === 'string' ? cut(description.trim(), maxDescription) : '', text }
}
