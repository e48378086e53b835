/** WH5: templates. */

import type { Explanation } from './explanation.ts'

export const ofTemplates = {
  WH503: {
    means: 'The expression of a {= … } placeholder cannot be read, or uses what is not allowed here.',
    why: 'The prompt could not be rendered, so the file is refused.',
    fix: 'Mend the expression. A plain value needs none: {pull_request.title} is enough.',
    example: { of: 'route', bad: "prompt: 'Sum: {= $sum( }'\n", good: "prompt: 'Sum: {= $sum(payload.items.price) }'\n" },
  },
} as const satisfies { readonly [code: string]: Explanation }
