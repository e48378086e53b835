/** Collects what a plan is made of and how an event fares with it. */

import type { Event } from '../../core/request.ts'
import type { CompiledCondition } from '../../expr/condition.ts'
import type { Filled } from '../../expr/template.ts'
import type { PlanObserver } from '../../parts/effects.ts'

/** How one condition fares, whatever the others say. */
export type Judged = {
  /** `filters[1].not` */
  readonly name: string
  readonly path: CompiledCondition['path']
  readonly operator: string
  readonly field?: string
  /** What its operator is given, as messages show it. Absent for groups. */
  readonly operand?: string
  readonly holds: boolean
  /** What its field holds, as messages show it. */
  readonly seen?: string
  /** Why it does not hold. */
  readonly why?: string
}

export type FilledPlaceholder = Filled & { readonly where: string }

export type Collector = PlanObserver & {
  /** Asks every condition about an event. */
  judge(event: Event): Promise<readonly Judged[]>
  /** Each placeholder once, as it was filled in last; they are forgotten then. */
  takeFilled(): readonly FilledPlaceholder[]
}

export const createCollector = (): Collector => {
  // By name: a plan may be compiled more than once.
  const conditions = new Map<string, CompiledCondition>()
  const placeholders = new Map<string, FilledPlaceholder>()
  return {
    condition: (condition) => conditions.set(condition.name, condition),
    filled: (where, filled) => placeholders.set(`${where}\n${filled.written}`, { where, ...filled }),
    async judge(event) {
      const judged: Judged[] = []
      for (const condition of inOrder(conditions.values())) judged.push(await judgeOne(condition, event))
      return judged
    },
    takeFilled() {
      const filled = [...placeholders.values()]
      placeholders.clear()
      return filled
    },
  }
}

const judgeOne = async ({ name, path, operator, field, operand, judge, seen }: CompiledCondition, event: Event): Promise<Judged> => {
  const no = await judge(event)
  return {
    name,
    path,
    operator,
    holds: no === undefined,
    ...(field === undefined ? {} : { field }),
    ...(operand === undefined ? {} : { operand }),
    ...(seen ? { seen: seen(event) } : {}),
    ...(no ? { why: no.rule() } : {}),
  }
}

/** A condition in words: what it asks for and what its field holds; of a group only what it is, since what it holds has lines of its own. */
export const saidOf = ({ name, operator, field, operand, holds, seen, why }: Judged): string => {
  const asked = [name, field, operator, operand].filter((part) => part !== undefined).join(' ')
  if (operand === undefined) return asked
  if (!holds) return why ?? asked
  return field === undefined ? asked : `${asked} (got ${seen ?? 'missing'})`
}

/** As they are written: a group before what it holds, though it was compiled after it. */
const inOrder = (conditions: Iterable<CompiledCondition>): readonly CompiledCondition[] =>
  [...conditions].sort((a, b) => comparePaths(a.path, b.path))

const comparePaths = (a: CompiledCondition['path'], b: CompiledCondition['path']): number => {
  for (const [i, part] of a.entries()) {
    const other = b[i]
    if (other === undefined) return 1
    if (part !== other) return typeof part === 'number' && typeof other === 'number' ? part - other : 0
  }
  return a.length - b.length
}
