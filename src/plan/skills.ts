/** Reports skills of a route or job that an agent would not get, or would get without a description (WH701). */

import { readSkills, skillNames } from '../config/skills.ts'
import type { ReportOf } from '../core/diagnostic.ts'
import { nearest, printable } from '../core/text.ts'

/** Checks the skills of a route or job. `profileDir`: the folder of its profile. */
export const checkSkills = (names: readonly string[], profileDir: string, report: ReportOf): void => {
  if (names.length === 0) return
  const { skills, missing } = readSkills(profileDir, names)
  const say = (name: string, message: string, help: string): void =>
    report('WH701', ['skills', names.indexOf(name)], message, help, 'value')
  for (const { name, why, isAbsent } of missing) {
    const shown = `"${printable(name, 64)}"`
    if (isAbsent) say(name, `there is no skill ${shown}`, helpFor(name, profileDir))
    else say(name, `the skill ${shown} cannot be used: ${printable(why, 200)}`, 'mend it, or take it out of the list')
  }
  for (const { name, problem } of skills)
    if (problem !== undefined) say(name, `the skill "${name}" has no description: ${problem}`, `mend skills/${name}/SKILL.md`)
}

const helpFor = (name: string, profileDir: string): string => {
  const near = nearest(name, skillNames(profileDir))
  return near.length > 0
    ? `did you mean ${near.map((each) => `"${each}"`).join(' or ')}?`
    : `write skills/${name}/SKILL.md in the profile's folder, or take it out of the list`
}
