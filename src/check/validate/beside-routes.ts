/** Finds what is wrong beside the routes: in plugins, the agent and other settings, and with senders that never repeat an event. */

import type { Loaded } from '../../config/load.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import type { Effects } from '../../parts/effects.ts'
import type { Checked } from '../../plan/check.ts'
import type { Catalogue } from '../../plan/compile.ts'
import { reviewRepeats } from '../../plan/review/senders.ts'
import { reviewSettings } from '../../plan/review/settings.ts'
import { compileRunner } from '../../plan/runner.ts'

type PlanContext = { readonly effects: Effects; readonly plugins: readonly Diagnostic[] }

/** Adds the findings that are not about one route: about plugins, the agent, other settings, and senders that never repeat an event. */
export const withFindingsBesideRoutes = (
  checked: Checked,
  loaded: Loaded,
  catalogue: Catalogue,
  { effects, plugins }: PlanContext,
): Checked => {
  const { diagnostics, scope } = compileRunner(loaded.config, catalogue, effects)
  scope.release()
  return {
    ...checked,
    diagnostics: [
      ...checked.diagnostics,
      ...plugins,
      ...diagnostics,
      ...reviewSettings(loaded, catalogue),
      ...reviewRepeats(checked.sources, loaded, catalogue),
    ],
  }
}
