/** Sentences beside a list: what is wrong, why, and what something means. How many rows they take must be known before the list is drawn. */

import type { Diagnostic } from '../../core/diagnostic.ts'
import { wrap } from './cells.ts'

/** What a text means, by which it is coloured; never by colour alone. */
export type Tone = 'plain' | 'dim' | 'strong' | 'ok' | 'bad' | 'warn' | 'accent'

/** `isMarked`: an exclamation mark stands before it. */
export type Remark = { readonly text: string; readonly tone: Tone; readonly isMarked?: boolean }

/** The mark with a blank behind it, in cells. */
export const markWidth = 2

export const toneOf = (severity: Diagnostic['severity']): Tone => (severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : 'dim')

export const marked = (text: string, tone: Tone): Remark => ({ text, tone, isMarked: true })

type Finding = Pick<Diagnostic, 'code' | 'severity' | 'message'> & { readonly help?: string | undefined }

export const findingRemark = ({ code, severity, message, help }: Finding): Remark =>
  marked(`${code} ${message}${help === undefined ? '' : ` - ${help}`}`, toneOf(severity))

/** Why no change of the draft can be put into the file. */
export const refusalRemarks = (refused: string | undefined): readonly Remark[] =>
  refused === undefined ? [] : [marked(`this cannot be changed here: ${refused}`, 'bad')]

/** Rows that remarks take, each broken at this width. */
export const remarksHeight = (remarks: readonly Remark[], width: number): number =>
  remarks.reduce((rows, { text, isMarked }) => rows + wrap(text, isMarked ? width - markWidth : width).length, 0)
