/** Writes findings as one JSON document, with the members around the data (`v`, `kind`, `ok`) that `--json` has for all commands. */

import type { JsonObject } from '../../core/json.ts'
import { jsonText } from '../../datadir/json-text.ts'
import { findingItems } from '../shell/findings.ts'
import type { FindingsReport, Render } from './report.ts'

export const json: Render = (report) => {
  const { diagnostics, texts, errors, warnings, denyWarnings, samples } = report
  const ok = errors === 0 && !(denyWarnings && warnings > 0)
  const data = {
    diagnostics: findingItems(diagnostics, texts),
    summary: totalsOf(report),
    ...(samples ? { samples: samples.map(({ name, routes }) => ({ name, routes: [...routes] })) } : {}),
  }
  return `${jsonText({ v: 1, kind: 'validate', ok, data, warnings: [] })}\n`
}

const totalsOf = ({ errors, warnings, infos, fixable, suppressed, withheld, routes, files }: FindingsReport): JsonObject => ({
  errors,
  warnings,
  infos,
  fixable,
  suppressed,
  withheld,
  routes: routes.length,
  files,
})
