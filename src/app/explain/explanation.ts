/** What is said of a code beside its title: for `explain`, for docs/codes.md, and for the rules of a SARIF report. */

export type Explanation = {
  /** What was found. */
  readonly means: string
  /** What comes of it if it stays. */
  readonly why: string
  /** What to do. */
  readonly fix: string
  readonly example?: Example
}

/** The finding is in `bad` and not in `good`. `of`: the keys of a route, a whole `config.yaml`, or a whole `.env`. */
export type Example = { readonly of: 'route' | 'config' | 'env'; readonly bad: string; readonly good: string }
