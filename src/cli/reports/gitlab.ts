/** Writes findings as a Code Quality report for GitLab. */

import { createHash } from 'node:crypto'
import { fingerprintOf } from '../../check/validate/baseline.ts'
import { type Diagnostic, shownFile } from '../../core/diagnostic.ts'
import { jsonText } from '../../datadir/json-text.ts'
import { findingSentence } from './kit/sentence.ts'
import type { Render } from './report.ts'

const severities = { error: 'critical', warning: 'minor', info: 'info' } as const

export const gitlab: Render = ({ diagnostics, folder, fallbackFile }) => {
  const seen = new Map<string, number>()
  const items = diagnostics.map((each) => {
    const { place, code, severity, stopsStart } = each
    return {
      description: findingSentence(each),
      check_name: code,
      fingerprint: uniqueFingerprint(each, folder, seen),
      severity: stopsStart ? 'blocker' : severities[severity],
      location: { path: shownFile(place?.file ?? fallbackFile), lines: { begin: place?.line ?? 1, end: place?.endLine ?? 1 } },
    }
  })
  return `${jsonText(items, 2)}\n`
}

/** Returns a fingerprint that no other finding of the report has, because GitLab drops findings whose fingerprints repeat. */
const uniqueFingerprint = (each: Diagnostic, folder: string, seen: Map<string, number>): string => {
  const print = fingerprintOf(each, folder)
  const times = (seen.get(print) ?? 0) + 1
  seen.set(print, times)
  return times === 1 ? print : createHash('sha256').update(`${print} ${times}`).digest('hex')
}
