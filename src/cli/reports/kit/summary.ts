/** Writes how many findings there are, in one line. */

import { count } from '../../shell/findings.ts'
import type { FindingsReport } from '../report.ts'

/** Returns `1 error, 2 warnings in 7 routes (2 files). 1 fixable.` Where nothing follows the counts, no full stop ends them. */
export const summaryOf = ({ errors, warnings, routes, files, ms, fixable, suppressed, withheld }: FindingsReport): string => {
  const read = `${count(files, 'file')}${ms === undefined ? '' : `, ${ms} ms`}`
  const more = [
    ...(fixable > 0 ? [`${fixable} fixable.`] : []),
    ...(suppressed > 0 ? [`${suppressed} suppressed.`] : []),
    ...(withheld > 0 ? [`${withheld} not shown.`] : []),
  ]
  const counts = `${count(errors, 'error')}, ${count(warnings, 'warning')} in ${count(routes.length, 'route')} (${read})`
  return more.length === 0 ? counts : `${counts}. ${more.join(' ')}`
}
