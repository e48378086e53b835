/**
 * Collects the conditions of a plan while the plan is compiled, and the placeholders of the texts that are rendered while an event runs
 * through the plan, with a value or without.
 */

import type { Destination } from '../../core/new-run.ts'
import type { Event } from '../../core/request.ts'
import type { CompiledCondition } from '../../expr/condition.ts'
import type { Filled } from '../../expr/template.ts'
import type { PlanObserver } from '../../parts/effects.ts'
import { filters } from '../../parts/stages/filters.ts'

/** Why a stage was skipped that the keys of the route do not ask for. */
export const unusedStage = 'not used by this route'

/** A condition with its result on an event, whatever the results of other conditions. */
export type Judged = {
  /** The condition's name in messages, such as `filters[1].not`. */
  readonly name: string
  readonly path: CompiledCondition['path']
  /** The stage that judges it: `lookup` for a condition that reads a lookup. */
  readonly stage: string
  readonly operator: string
  readonly field?: string
  /** The operand, as messages show it. Absent for groups. */
  readonly operand?: string
  readonly holds: boolean
  /** The value of the field in the event, as messages show it. */
  readonly seen?: string
  /** Why the condition does not hold. */
  readonly why?: string
}

/** How a placeholder was filled in. `where`: the key of the route whose text has the placeholder, such as `prompt`. */
export type FilledPlaceholder = Filled & { readonly where: string }

export type Collector = PlanObserver & {
  /**
   * Judges an event by every condition, in the order of the file. Conditions that read a lookup judge the event that has the answers, and are
   * left out where no lookup was asked.
   */
  judge(event: Event): Promise<readonly Judged[]>
  /** Returns the event with the answers to its lookups, and forgets it; `undefined` where none was asked. */
  takeLookedUp(): Event | undefined
  /** Returns each placeholder once, as it was filled in last, and forgets all placeholders. */
  takeFilled(): readonly FilledPlaceholder[]
  /** Returns the targets of the first message that was rendered, and forgets them; `undefined` where none was. */
  takeDelivery(): Destination | undefined
  /** Returns what was noted about the event, and forgets it. */
  takeNotes(): readonly string[]
}

type StagedCondition = CompiledCondition & { readonly stage: string }

/** The most notes about one event, or about the items of one request. */
const maxNotes = 20

export const createCollector = (): Collector => {
  // The conditions are kept by name, because a plan may be compiled more than once.
  const conditions = new Map<string, StagedCondition>()
  const placeholders = new Map<string, FilledPlaceholder>()
  const notes = new Set<string>()
  let delivery: Destination | undefined
  let known: Event | undefined
  return {
    addressed: (to) => {
      delivery ??= to
    },
    noted: (text) => {
      if (notes.size < maxNotes) notes.add(text)
    },
    condition: (condition, stage) => conditions.set(condition.name, { ...condition, stage }),
    lookedUp: (event) => {
      known ??= event
    },
    filled: (where, filled) => placeholders.set(`${where}\n${filled.written}`, { where, ...filled }),
    async judge(event) {
      const judged: Judged[] = []
      for (const condition of inFileOrder(conditions.values())) {
        const of = condition.stage === filters.name ? event : known
        if (of) judged.push(await judgeOne(condition, of))
      }
      return judged
    },
    takeLookedUp() {
      const taken = known
      known = undefined
      return taken
    },
    takeFilled() {
      const filled = [...placeholders.values()]
      placeholders.clear()
      return filled
    },
    takeDelivery() {
      const taken = delivery
      delivery = undefined
      return taken
    },
    takeNotes() {
      const noted = [...notes]
      notes.clear()
      return noted
    },
  }
}

const judgeOne = async ({ name, path, stage, operator, field, operand, judge, seen }: StagedCondition, event: Event): Promise<Judged> => {
  const no = await judge(event)
  return {
    name,
    path,
    stage,
    operator,
    holds: no === undefined,
    ...(field === undefined ? {} : { field }),
    ...(operand === undefined ? {} : { operand }),
    ...(seen ? { seen: seen(event) } : {}),
    ...(no ? { why: no.rule() } : {}),
  }
}

/**
 * Returns a condition in words, with the value of its field. Of a group, returns only name and operator, because each condition in the
 * group has its own line.
 */
export const judgedText = ({ name, operator, field, operand, holds, seen, why }: Judged): string => {
  const asked = [name, field, operator, operand].filter((part) => part !== undefined).join(' ')
  if (operand === undefined) return asked
  if (!holds) return why ?? asked
  return field === undefined ? asked : `${asked} (got ${seen ?? 'missing'})`
}

/** Sorts conditions as the file has them: a group before its conditions, though the group is compiled after them. */
const inFileOrder = (conditions: Iterable<StagedCondition>): readonly StagedCondition[] =>
  [...conditions].sort((a, b) => comparePaths(a.path, b.path))

const comparePaths = (a: CompiledCondition['path'], b: CompiledCondition['path']): number => {
  for (const [i, part] of a.entries()) {
    const other = b[i]
    if (other === undefined) return 1
    if (part !== other) return typeof part === 'number' && typeof other === 'number' ? part - other : 0
  }
  return a.length - b.length
}
