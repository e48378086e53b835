// Generated from schema/ by `npm run gen`. Do not edit.
type Problem = { readonly keyword: string; readonly instancePath: string; readonly params: { readonly [name: string]: unknown } }
/** Whether a value has its shape. `errors`: the first that is wrong with the value that was checked last. */
export type Check = { (data: unknown): boolean; readonly errors?: readonly Problem[] | null }
export const overviewQuestion: Check
export const eventsQuestion: Check
export const chartsQuestion: Check
export const eventQuestion: Check
export const contentQuestion: Check
export const traceQuestion: Check
export const curlQuestion: Check
export const asSampleQuestion: Check
export const asTestQuestion: Check
export const replayQuestion: Check
export const retryQuestion: Check
export const cancelQuestion: Check
export const routesQuestion: Check
export const routeTextQuestion: Check
export const routeNamesQuestion: Check
export const routePreviewQuestion: Check
export const payloadsQuestion: Check
export const payloadQuestion: Check
export const routePlanQuestion: Check
export const fixRouteQuestion: Check
export const saveRouteQuestion: Check
export const keepDraftQuestion: Check
export const dropDraftQuestion: Check
export const targetsQuestion: Check
export const targetTestQuestion: Check
export const testTargetQuestion: Check
export const resetBreakerQuestion: Check
export const healthQuestion: Check
export const previewReloadQuestion: Check
export const reloadQuestion: Check
export const signOutQuestion: Check
export const liveQuestion: Check
export const bulkPlanQuestion: Check
export const bulkStartQuestion: Check
export const bulkStopQuestion: Check
export const bulkResumeQuestion: Check
export const bulkJobsQuestion: Check
export const workQuestion: Check
export const sessionsQuestion: Check
export const startJobQuestion: Check
export const pauseJobQuestion: Check
export const resumeJobQuestion: Check
