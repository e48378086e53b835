/** How results of tests can be printed, and what can be asked of them. */

export const testFormats = ['pretty', 'tap', 'junit', 'json', 'github'] as const

export type TestOptions = {
  readonly name?: string
  readonly update?: boolean
  readonly watch?: boolean
  readonly coverage?: boolean
  /** Percent. */
  readonly min?: number
  readonly format?: (typeof testFormats)[number]
}
