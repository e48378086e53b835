/** Finds the paths of the values of which lines were lost, in the tree of the text without these lines. */

import type { Path } from '../../core/diagnostic.ts'
import type { Mistake } from './mistakes.ts'
import { indentOf, lineStart } from './open-at.ts'
import type { Member, YamlTree } from './yaml-tree.ts'

/** Matches a member of a map with its key, at the beginning of a line. */
const memberLine = /^ *["']?([\w.-]+)["']?\s*:(?:\s|$)/

/**
 * Returns the paths of the values that are not whole without the lines of a mistake, the value with the mistake first. That is the member
 * that the lines were, or the map or list around them where they are no member. A member in a wrong column may belong to that map or list,
 * or stand beside it.
 */
export const lostPaths = (text: string, tree: YamlTree, { lines = [0, 0], siblings }: Mistake): readonly [Path, ...Path[]] => {
  const [first = '', ...below] = text.slice(...lines).split('\n')
  const column = indentOf(first, 0)
  const { around, isFlow } = pathAround(text, tree, lines[0], column + (/^ *-(?:\s|$)/.test(first) ? 1 : 0))
  const names = [first, ...below].flatMap((line) => (indentOf(line, 0) === column && memberLine.exec(line)?.[1]) || [])
  if (siblings) return [around, ...names.map((name) => [...around.slice(0, -1), name])]
  return [isFlow || !memberLine.test(first) ? around : [...around, ...names.slice(0, 1)]]
}

/**
 * Follows the members that begin before an offset and left of a column, and between brackets those that the offset is in. `isFlow`: the last
 * of them has brackets around the offset.
 */
const pathAround = (text: string, tree: YamlTree, at: number, column: number): { readonly around: Path; readonly isFlow: boolean } => {
  const around: (string | number)[] = []
  for (let node = tree.root; ; ) {
    const isFlow = /[[{]/.test(text[tree.range(node)?.[0] ?? -1] ?? '')
    const holds = (member: Member): boolean =>
      isFlow ? isInside(tree.range(member.value), at) : beginOf(tree, member) < at && columnOf(text, beginOf(tree, member)) < column
    const member = tree.members(node).findLast((each) => (isFlow ? holds(each) : beginOf(tree, each) < at))
    if (!member || !holds(member)) return { around, isFlow: isFlow && isInside(tree.range(node), at) }
    around.push(tree.isList(node) ? Number(member.name) : member.name)
    node = member.value
  }
}

const isInside = (range: readonly [number, number] | undefined, at: number): boolean =>
  range !== undefined && range[0] < at && at < range[1]

const beginOf = (tree: YamlTree, { key, value }: Member): number => (tree.range(key) ?? tree.range(value))?.[0] ?? Number.POSITIVE_INFINITY

/** Returns the column, from 0, in which the line of an offset begins. */
const columnOf = (text: string, at: number): number => indentOf(text, lineStart(text, at))
