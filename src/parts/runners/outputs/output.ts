/** The contract of outputs: an output reads what the program of an agent printed, and finds the reply and the usage in it. */

import type { CallUsage } from '../runner.ts'

export type OutputPart = {
  /** The name in `agent.output`. */
  readonly name: string
  /** The name for people, in editors. */
  readonly title: string
  /**
   * What the program says of its usage, and so which budgets can be held. `models`: whether the tokens are those of each model, so that a
   * price can be found. `money`: whether it says what they cost. Absent: nothing.
   */
  readonly tells?: { readonly models: boolean; readonly money: boolean }
  /**
   * Reads what a program printed on its standard output. Returns `undefined` where the text has another form, or ends too early. The text
   * is of an agent that strangers may have steered: nothing of it but the reply may get into a message.
   */
  readonly parse: (stdout: string) => AgentOutput | undefined
}

/** What a program said of its work. Either `reply` or `problem` is there. */
type AgentOutput = {
  readonly reply?: string
  /** Why the agent has no reply, in words of ours. */
  readonly problem?: string
  /** The usage, with one entry for each model. Absent where the program told of no usage. */
  readonly calls?: readonly CallUsage[]
}
