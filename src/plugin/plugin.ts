/**
 * What the authors of plugins import, as `headgate/plugin`: the types of the parts, and functions that check whether a part meets the
 * contract of its type.
 */

export type { Report } from '../core/diagnostic.ts'
export type { Json, JsonObject } from '../core/json.ts'
export type { Delivery, NewRun } from '../core/new-run.ts'
export type { Event, Headers, RequestHead } from '../core/request.ts'
export type { Domain, OperatorKit, OperatorPart, Test } from '../parts/operators/operator.ts'
export type { Runner, RunnerEnv, RunnerPart, RunnerSettings } from '../parts/runners/runner.ts'
export type { ByHand, CheckBody, CheckHead, RefusalReason, Scheme, Signed, Unsigned } from '../parts/schemes/scheme.ts'
export type { Keep, Outgoing, Sent, Setting, TargetKit, TargetPart } from '../parts/targets/target.ts'
export { checkOperator, type OperatorOptions } from './contract/operator.ts'
export { checkRunner, type RunnerOptions } from './contract/runner.ts'
export { checkScheme, type SchemeOptions } from './contract/scheme.ts'
export { checkTarget, type TargetOptions, type TargetSending as Sending } from './contract/target.ts'
