/** The contract by which control operations list, test and mute the alerts of a running gateway. */

import type { Alerts, AlertTested } from '../../generated/control.ts'

export interface AlertControl {
  /** Resolves when the check of the alerts that is in progress has ended; at once where no check is in progress. */
  looked(): Promise<void>
  /** Returns what fires, what is muted, and what could not be delivered. `undefined`: no alerts are configured. */
  view(): Alerts | undefined
  /**
   * Sends a test message to the targets of the rule with this number, or of all rules. Resolves to an empty list where there is no such
   * rule.
   */
  test(rule: number | undefined): Promise<readonly AlertTested[]>
  /** Mutes the alerts of a name for `ms` milliseconds; 0 ends the mute. `false`: no alerts are configured. Rejects with a StoreFault. */
  mute(name: string, ms: number): Promise<boolean>
}
