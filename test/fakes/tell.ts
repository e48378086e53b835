/** Tells one observer a fact, as the stream of facts does. */

import type { Fact } from '../../src/core/facts/fact.ts'
import { createFacts, type Observer } from '../../src/core/facts/facts.ts'

export const tell = (observer: Observer, fact: Fact): void => {
  const facts = createFacts()
  facts.observe(observer)
  facts.emit(fact)
}
