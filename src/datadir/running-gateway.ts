/** How use cases find the running gateway, and ask it for operations. */

import type { ControlAnswers, ControlQuestions, Status } from '../generated/control.ts'

/** The arguments of an operation: its question, which may be left out where none of its members is required. */
type Arguments<Question> = Record<never, never> extends Question ? [question?: Question] : [question: Question]

/**
 * The operations of a gateway (schema/control.schema.json), with a method for each. The gateway may run in this process or in another. Each
 * method may throw a Fault, with exit 4 where the gateway is gone.
 */
export type RunningGateway = {
  readonly [Name in keyof ControlQuestions]: (...question: Arguments<ControlQuestions[Name]>) => Promise<ControlAnswers[Name]>
}

/** Returns the state of the running gateway; `undefined` where none runs. */
export const runningStatus = async (finder: GatewayFinder): Promise<Status | undefined> => (await finder.find())?.status()

/** Finds the gateway that serves a data directory. The caller of a use case provides it. */
export interface GatewayFinder {
  /** Resolves to `undefined` where no gateway runs, or none can be reached. */
  find(): Promise<RunningGateway | undefined>
  /** Resolves to the gateway. Throws a Fault (exit 4) that says why no gateway was found. */
  need(): Promise<RunningGateway>
}
