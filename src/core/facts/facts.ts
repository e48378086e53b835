/** The stream of facts: each fact is emitted once, and each observer of its kind receives it. */

import type { Fact, FactReader, ReadBy } from './fact.ts'

/** What an observer does with each kind of fact that it receives. A function never throws, and returns at once. */
type Handlers<Told extends Fact> = { readonly [Each in Told as Each['kind']]: (fact: Each) => void }

/**
 * Receives facts, in order. The observer of a reader has a function for each kind of fact whose entry names that reader, and the compiler
 * says which is missing. An observer without a name receives whatever it has a function for.
 */
export interface Observer<Name extends FactReader = never> {
  readonly handlers: [Name] extends [never] ? Partial<Handlers<Fact>> : Handlers<ReadBy<Name>>
  /** Resolves when the observer has kept the facts so far, or has failed to. Never rejects. */
  flushed?(): Promise<void>
}

export interface Facts {
  /** Gives the fact to each observer that has a function for its kind, in the order in which the observers were added. */
  emit(fact: Fact): void
  /** Adds an observer, which receives facts from now on. */
  observe(observer: Observer): void
  /** Resolves when each observer has kept the facts so far, or has failed to. */
  flushed(): Promise<void>
}

export const createFacts = (): Facts => {
  const observers: Observer[] = []
  // The handlers are kept by kind of fact, so that a fact costs nothing for observers that do not receive it.
  const handlersOf = new Map<string, ((fact: Fact) => void)[]>()
  return {
    emit(fact) {
      const all = handlersOf.get(fact.kind)
      if (all) for (const handle of all) handle(fact)
    },
    observe(observer) {
      observers.push(observer)
      for (const [kind, handle] of Object.entries(observer.handlers)) {
        const all = handlersOf.get(kind) ?? []
        handlersOf.set(kind, all)
        // The compiler does not see that a function is called only with facts of the kind under which the observer has it.
        all.push(handle as (fact: Fact) => void)
      }
    },
    async flushed() {
      await Promise.all(observers.map((observer) => observer.flushed?.()))
    },
  }
}
