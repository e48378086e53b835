// Generated from schema/ by `npm run gen`. Do not edit.
type Problem = { keyword: string; instancePath: string; schemaPath: string; params: Record<string, unknown>; message?: string }
type Check = { (data: unknown): boolean; errors?: Problem[] | null }
export const checkConfig: Check
export const checkRoutesFile: Check
export const checkSubscription: Check
export const checkJob: Check
export const checkSample: Check
export const checkTests: Check
export const checkRelay: Check
export type { Check, Problem }
