/** The list of sender logs. */

import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import type { SenderLogPart } from './sender-log.ts'
import { stripe } from './stripe.ts'

export const senderLogs: readonly SenderLogPart[] = [github, gitlab, stripe]

export const senderLogsByName: ReadonlyMap<string, SenderLogPart> = new Map(senderLogs.map((log) => [log.name, log]))
