/** The options of `validate`, as `grammar.ts` reads them. */

export type ValidateOptions = {
  readonly format?: readonly string[]
  readonly denyWarnings?: boolean
  readonly select?: readonly string[]
  readonly ignore?: readonly string[]
  readonly max?: number
  /** The codes to fix; `true` where the option stands without codes. */
  readonly fix?: true | readonly string[]
  readonly diff?: boolean
  readonly baseline?: string
  readonly writeBaseline?: boolean
  readonly sample?: readonly string[]
  /** The word behind `--changed`: a path where such a file exists, else a commit; `true` where no word follows (HEAD). */
  readonly changed?: true | string
  readonly watch?: boolean
  /** `true` for `--env`, `false` for `--no-env`. */
  readonly env?: boolean
  readonly refs?: boolean
  readonly runProviders?: boolean
  readonly config?: string
}
