/** The stream of facts: each fact is told once, and each observer hears of it. */

import type { Fact } from './fact.ts'

export interface Observer {
  /** Takes each fact, in order. Never throws, and returns at once. */
  on(fact: Fact): void
  /** Resolves when the observer has kept the facts so far, or has failed to. Never rejects. */
  flushed?(): Promise<void>
}

/** The stream of facts. */
export interface Facts {
  /** Hands the fact to each observer, in the order in which the observers were added. */
  tell(fact: Fact): void
  /** Adds an observer, which hears of all facts from now on. */
  observe(observer: Observer): void
  /** Resolves when each observer has kept the facts so far, or has failed to. */
  flushed(): Promise<void>
}

export const createFacts = (): Facts => {
  const observers: Observer[] = []
  return {
    tell(fact) {
      for (const observer of observers) observer.on(fact)
    },
    observe(observer) {
      observers.push(observer)
    },
    async flushed() {
      await Promise.all(observers.map((observer) => observer.flushed?.()))
    },
  }
}
