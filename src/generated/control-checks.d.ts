// Generated from schema/ by `npm run gen`. Do not edit.
type Problem = { readonly keyword: string; readonly instancePath: string; readonly params: { readonly [name: string]: unknown } }
/** Whether a value has its shape. `errors`: the first that is wrong with the value that was checked last. */
export type Check = { (data: unknown): boolean; readonly errors?: readonly Problem[] | null }
export const statusQuestion: Check
export const statusAnswer: Check
export const reloadQuestion: Check
export const reloadAnswer: Check
export const previewReloadQuestion: Check
export const previewReloadAnswer: Check
export const reloadAllQuestion: Check
export const reloadAllAnswer: Check
export const stopQuestion: Check
export const stopAnswer: Check
export const handOverQuestion: Check
export const handOverAnswer: Check
export const standingsQuestion: Check
export const standingsAnswer: Check
export const retryQuestion: Check
export const retryAnswer: Check
export const replayQuestion: Check
export const replayAnswer: Check
export const startJobQuestion: Check
export const startJobAnswer: Check
export const runningJobsQuestion: Check
export const runningJobsAnswer: Check
export const backlogQuestion: Check
export const backlogAnswer: Check
export const breakersQuestion: Check
export const breakersAnswer: Check
export const resetBreakerQuestion: Check
export const resetBreakerAnswer: Check
export const sessionsQuestion: Check
export const sessionsAnswer: Check
export const conversationQuestion: Check
export const conversationAnswer: Check
export const consoleAddressQuestion: Check
export const consoleAddressAnswer: Check
export const tailQuestion: Check
export const tailAnswer: Check
export const alertsQuestion: Check
export const alertsAnswer: Check
export const testAlertsQuestion: Check
export const testAlertsAnswer: Check
export const muteAlertsQuestion: Check
export const muteAlertsAnswer: Check
