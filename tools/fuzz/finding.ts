/** What a run of the fuzz found: a property that does not hold. */

export type Property =
  | 'the agent gets what was not signed'
  | 'the same signature makes a second event'
  | 'it is taken after its time'
  | 'a signature that was given away makes an event'
  | 'two events have one id'
  | 'the gateway breaks'
  | 'what the sender sends is refused'

export type Finding = {
  readonly property: Property
  /** Who signed. */
  readonly sender: string
  /** The scheme that took it. */
  readonly scheme: string
  /** `alone`, `a list`, … */
  readonly route: string
  /** What was done to the request, and how the genuine one differed from a sample; empty: it is a sample as it is. */
  readonly steps: readonly string[]
  /** What the gateway made of it. */
  readonly detail: string
  /** The case, which this seed makes again. */
  readonly seed: number
}

/** Those that differ in nothing but their case and what was done to the request count as the same. */
export const findingKey = ({ property, sender, scheme, route }: Finding): string =>
  [property, sender, scheme, route.split(' with ')[0]].join('\n')
