/** The list of sender logs. */

import { github } from './github.ts'
import type { SenderLogPart } from './sender-log.ts'

export const senderLogs: readonly SenderLogPart[] = [github]

export const senderLogsByName: ReadonlyMap<string, SenderLogPart> = new Map(senderLogs.map((log) => [log.name, log]))
