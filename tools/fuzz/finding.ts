/** A finding of the fuzz: a forged request for which a property of the gateway does not hold. */

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
  /** The name of the sender that signed the captured request. */
  readonly sender: string
  /** The scheme that accepted the forged request. */
  readonly scheme: string
  /** The kind of route: `alone`, `a list`, … */
  readonly route: string
  /** The mutations, and how the genuine request differs from a sample. Empty where the request is a sample without change. */
  readonly steps: readonly string[]
  /** How the gateway ended the request. */
  readonly detail: string
  /** The seed of the case: with it the case can be run again. */
  readonly seed: number
}

/** Returns a key for a finding. Findings that differ only in their case and mutations have the same key. */
export const findingKey = ({ property, sender, scheme, route }: Finding): string =>
  [property, sender, scheme, route.split(' with ')[0]].join('\n')
