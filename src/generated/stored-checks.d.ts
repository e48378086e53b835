// Generated from schema/ by `npm run gen`. Do not edit.
import type { JsonObject } from '../core/json.ts'

export const isJournalLine: (data: unknown) => data is JsonObject
export const isRawPlace: (data: unknown) => data is JsonObject
export const isStoredRun: (data: unknown) => data is JsonObject
export const isStoredReply: (data: unknown) => data is JsonObject
export const isStoredDraft: (data: unknown) => data is JsonObject
export const isBaseline: (data: unknown) => data is JsonObject
export const isSessionAbout: (data: unknown) => data is JsonObject
export const isSessionPlace: (data: unknown) => data is JsonObject
export const isSessionMessage: (data: unknown) => data is JsonObject
export const isKeptKey: (data: unknown) => data is JsonObject
export const isReplicaState: (data: unknown) => data is JsonObject
export const isReloadRequest: (data: unknown) => data is JsonObject
export const isAlertState: (data: unknown) => data is JsonObject
