/** The explanation of a code: for `explain`, for docs/codes.md, and for the rules of a SARIF report. */

export type Explanation = {
  /** The meaning of the finding. */
  readonly means: string
  /** The effect if nothing is done. */
  readonly why: string
  /** The way out. */
  readonly fix: string
  readonly example?: Example
}

/** An example: `bad` has the finding, `good` does not. `of`: the keys of a route, a whole `config.yaml`, or a whole `.env`. */
export type Example = { readonly of: 'route' | 'config' | 'env'; readonly bad: string; readonly good: string }
