/** The options of `test`, and the formats in which it prints the results of tests. */

export const testFormats = ['pretty', 'tap', 'junit', 'json', 'github'] as const

export type TestCommandOptions = {
  readonly name?: string
  readonly update?: boolean
  readonly watch?: boolean
  readonly coverage?: boolean
  /** The least coverage that passes, in percent. */
  readonly min?: number
  readonly format?: (typeof testFormats)[number]
}
