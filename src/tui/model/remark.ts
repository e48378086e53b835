/**
 * Remarks: sentences above or below a list that say what is wrong, why, and what a row means. The height of the remarks must be known
 * before the list is drawn, because the list gets the rows that are left.
 */

import type { Diagnostic } from '../../core/diagnostic.ts'
import { wrap } from './cells.ts'

/** The meaning of a text, which chooses its colour. A meaning is never shown by colour alone. */
export type Tone = 'plain' | 'dim' | 'strong' | 'ok' | 'bad' | 'warn' | 'accent'

/** A sentence. `isMarked`: an exclamation mark stands before the text. */
export type Remark = { readonly text: string; readonly tone: Tone; readonly isMarked?: boolean }

/** The width of the mark and the blank behind it, in cells. */
export const markWidth = 2

export const toneOf = (severity: Diagnostic['severity']): Tone => (severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : 'dim')

export const markedRemark = (text: string, tone: Tone): Remark => ({ text, tone, isMarked: true })

type Finding = Pick<Diagnostic, 'code' | 'severity' | 'message'> & { readonly help?: string | undefined }

/** Returns a finding as a remark: its code, its message, and the way out. */
export const findingRemark = ({ code, severity, message, help }: Finding): Remark =>
  markedRemark(`${code} ${message}${help === undefined ? '' : ` - ${help}`}`, toneOf(severity))

/** Returns a remark with the reason why the draft's changes cannot be put into the file; none if there is no reason. */
export const refusalRemarks = (refused: string | undefined): readonly Remark[] =>
  refused === undefined ? [] : [markedRemark(`this cannot be changed here: ${refused}`, 'bad')]

/** Returns the number of rows that remarks take when their texts are broken into lines of `width` cells. */
export const remarksHeight = (remarks: readonly Remark[], width: number): number =>
  remarks.reduce((rows, { text, isMarked }) => rows + wrap(text, isMarked ? width - markWidth : width).length, 0)
