/** Files with lists of values, for `in_file` and `in_list`: read when they are opened and again after a change. They lie below a folder. */

import { resolve } from 'node:path'
import { exactOf } from '../core/exact-json.ts'
import { numberKeyOfText } from '../core/exact-number.ts'
import { codeOf } from '../core/fault.ts'
import { absent, stampOf } from '../core/file-stamp.ts'
import { type ExactJson, isObject } from '../core/json.ts'
import { parseJson } from '../core/json-error.ts'
import { takingTurns } from '../core/turns/taking-turns.ts'
import { checkInside, readInside, readInsideLater } from './inside-file.ts'
import { scalarKey, scalarText } from './render.ts'

const maxListBytes = 8 * 1024 * 1024

/**
 * The values of a file as texts. `numbers`: the decimal values (`ExactNumber.key`) of those that are written as numbers, for fields that
 * are numbers: `1.50` of a file is `1.5` of a payload.
 */
export type ListedValues = { readonly texts: ReadonlySet<string>; readonly numbers: ReadonlySet<string> }

/** Parses the values of a file: the scalars in a JSON array, the keys of a JSON object, else each line with a text (rules: Filters 7). */
function* parseList(text: string): InSteps<ListedValues> {
  const [texts, numbers] = [new Set<string>(), new Set<string>()]
  for (const each of textsIn(text.replace(/^\ufeff/, '').trim())) {
    texts.add(each)
    const number = numberKeyOfText(each)
    if (number !== undefined) numbers.add(number)
    if (texts.size % valuesInStep === 0) yield
  }
  return { texts, numbers }
}

const textsIn = (trimmed: string): readonly string[] => {
  if (!trimmed.startsWith('[') && !trimmed.startsWith('{')) return trimmed.split(/\r?\n/).flatMap((line) => line.trim() || [])
  const value = exactOf({ text: trimmed, payload: parseJson(trimmed) })
  if (isObject(value)) return Object.keys(value)
  // A field that is a text fits a number in the list by its digits, and by its value.
  return (value as ExactJson[]).flatMap((item) => [scalarText(item) ?? [], scalarKey(item) ?? []].flat())
}

/** Work that can rest after each step, so that a running gateway serves requests in between. It returns its result after the last step. */
export type InSteps<T> = Generator<undefined, T, undefined>

/** The values of a list that are read in one step: their work takes about a millisecond. */
export const valuesInStep = 500

/** Does the work without a rest. */
export const atOnce = <T>(work: InSteps<T>): T => {
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}

/** Does the work in turns of the event loop. */
export const inTurns = async <T>(work: InSteps<T>): Promise<T> => {
  const rest = takingTurns()
  let step = work.next()
  while (!step.done) {
    await rest()
    step = work.next()
  }
  return step.value
}

export interface WatchedFile<T> {
  /**
   * Returns the present values of the file. The result is a promise only while a changed file is read. Throws or rejects while the file
   * cannot be used.
   */
  values(): T | Promise<T>
}

/**
 * What a file may be, and what is made of its text. `called`: what messages call the folder. `parse` throws for a text that is no list.
 * `without`: the values where there is no file; absent: such a file cannot be used.
 */
type FileKind<T> = {
  readonly called: string
  readonly maxBytes: number
  readonly parse: (text: string) => InSteps<T>
  readonly without?: T
}

/**
 * Opens the file at `path` below the folder `root`. Never throws. With `failed`, the file is read before the function returns, and `failed`
 * is called with the error where the file cannot be used. Without it, reading begins, in turns of the event loop. Once the file has another
 * stamp (`stampOf`), `values` reads it again, in turns.
 */
export const openWatchedFile = <T>(
  root: string,
  path: string,
  { called, maxBytes, parse, without }: FileKind<T>,
  failed?: (error: unknown) => void,
): WatchedFile<T> => {
  const file = resolve(root, path)
  const bounds = { root, called, maxBytes }
  let stamp = ''
  let list: T | Promise<T> | undefined
  let failure: unknown

  /** Lets the file be read again where the system refused to read it, because the refusal may pass without a change of the file. */
  const forgetStamp = (error: unknown): void => {
    if (codeOf(error) !== undefined) stamp = ''
  }
  const readAgain = (): void => {
    const reading = readInsideLater(file, bounds).then((text) => inTurns(parse(text)))
    list = reading
    // When the file has changed once more meanwhile, another reading has begun, and the result of this reading no longer counts.
    reading.then(
      (values) => {
        if (list === reading) list = values
      },
      (error) => {
        if (list !== reading) return
        list = undefined
        failure = error
        forgetStamp(error)
      },
    )
  }

  const readAtOnce = (failed: (error: unknown) => void): void => {
    try {
      checkInside(resolve(root), file, called)
      stamp = stampOf(file)
      list = atOnce(parse(readInside(file, bounds)))
    } catch (error) {
      failure = error
      forgetStamp(error)
      failed(error)
    }
  }
  const values = (): T | Promise<T> => {
    const found = stampOf(file)
    if (found === absent && without !== undefined) {
      stamp = found
      list = without
    } else if (found !== stamp) {
      stamp = found
      readAgain()
    }
    if (list) return list
    throw failure
  }

  if (failed) readAtOnce(failed)
  else void values()
  return { values }
}

/** Opens a file with one list, as `openWatchedFile` does. */
export const openListFile = (root: string, path: string, failed: (error: unknown) => void): WatchedFile<ListedValues> =>
  openWatchedFile(root, path, { called: 'the profile directory', maxBytes: maxListBytes, parse: parseList }, failed)
