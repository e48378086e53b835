/** The explanation of a finding's code (`WH101`): for `headgate explain`, for docs/codes.md, and for the rules of a SARIF report. */

export type Explanation = {
  /** What the finding says. */
  readonly means: string
  /** What happens if the user does nothing. */
  readonly why: string
  /** What the user can do. */
  readonly fix: string
  readonly example?: Example
}

/**
 * An example of a text with the finding (`bad`), and of the same text without it (`good`). `of`: what the texts are: the keys of one route,
 * a whole `config.yaml`, or a whole `.env`.
 */
export type Example = { readonly of: 'route' | 'config' | 'env'; readonly bad: string; readonly good: string }
