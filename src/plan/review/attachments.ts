/**
 * Reports limits of `attachments` that no request can reach, because no body is that large; and `attachments` beside `redact`, which does
 * not look into files.
 */

import type { Subject } from './subject.ts'

export const reviewAttachments = ({ spec, config, say }: Subject): void => {
  if (!spec.attachments || spec.deliver_only || spec.cron_job !== undefined || (spec.split ?? false) !== false) return
  const { redact = [], max_body_bytes: most } = config.adapter
  for (const key of ['max_bytes', 'max_total_bytes'] as const)
    if ((spec.attachments[key] ?? 0) > most)
      say('WH210', ['attachments', key], `"attachments.${key}" has no effect: no body is longer than ${most} bytes (max_body_bytes)`, {
        help: `raise max_body_bytes of the adapter, or lower ${key}`,
        of: 'key',
      })
  if (redact.length + (spec.redact?.length ?? 0) > 0)
    say('WH509', ['attachments'], 'the agent gets the files as they came: "redact" does not look into them', {
      help: 'let files with such data be dropped (take "attachments" out), or say in a comment why they may be handed on',
      of: 'key',
    })
}
