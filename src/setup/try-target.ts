/** Sends a real message to the target, with the settings that the answers give it. */

import { Fault } from '../core/fault.ts'
import { printable } from '../core/text.ts'
import { defaultText, prepareTargetTest, sendTargetTest } from '../operate/targets/test-target.ts'
import { targetsByName } from '../parts/targets/index.ts'
import { draftedConfig } from './drafted.ts'
import type { SetupDraft, TrialResult } from './question.ts'
import { trialExtra } from './route-delivery.ts'

/** Sends the message. A mistake in the settings, or a failure of the target, is a result too, and is not thrown. */
export const tryTarget = async (draft: SetupDraft): Promise<TrialResult> => {
  const { target = '' } = draft.answers
  const part = targetsByName.get(target)
  try {
    const test = await prepareTargetTest(draft.present.workspace, {
      target,
      extra: (part && trialExtra(part, draft)) ?? {},
      loaded: draftedConfig(draft),
    })
    if (!test.ok) return { ok: false, text: test.fault?.message ?? test.diagnostics.map(({ message }) => message).join('; ') }
    const { sent } = await sendTargetTest(test, defaultText)
    if (!sent.ok) return { ok: false, text: `not sent: ${printable(sent.why, 400)}` }
    return { ok: true, text: `sent${sent.detail === undefined ? '' : `: ${printable(sent.detail, 200)}`}` }
  } catch (error) {
    if (error instanceof Fault) return { ok: false, text: error.message }
    throw error
  }
}
