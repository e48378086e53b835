/** Makes the running gateway read its files again, and returns the findings. */

import { readFileSync } from 'node:fs'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { type Findings, findingsOf } from '../../core/findings.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { ReloadResult } from '../../generated/control.ts'

export type GatewayReload = Omit<ReloadResult, 'diagnostics'> & {
  readonly findings: Findings
  /** The present texts of the files that have findings, from which the lines around a mistake are shown. */
  readonly texts: ReadonlyMap<string, string>
}

/**
 * `force`: reloads even where most of the routes would be removed. `dryRun`: only says what a reload would change, and with `differences`
 * how the texts differ.
 */
export type ReloadAsked = { readonly force?: boolean; readonly dryRun?: boolean; readonly differences?: boolean }

/** Reloads the gateway, or says what a reload would change. Throws a Fault where no gateway runs (exit 4). */
export const reloadGateway = async (
  finder: GatewayFinder,
  { force = false, dryRun = false, differences = false }: ReloadAsked = {},
): Promise<GatewayReload> => {
  const gateway = await finder.need()
  const { diagnostics, ...result } = await (dryRun ? gateway.previewReload({ force, differences }) : gateway.reload({ force }))
  const findings = findingsOf(diagnostics)
  return { ...result, findings, texts: textsOf(findings.diagnostics) }
}

const textsOf = (found: readonly Diagnostic[]): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>()
  for (const file of new Set(found.flatMap(({ place }) => (place ? [place.file] : [])))) {
    try {
      texts.set(file, readFileSync(file, 'utf8'))
    } catch {} // A finding whose file cannot be read is shown with its place alone.
  }
  return texts
}
