/** Finds placeholders that read what the route's transform does not make (WH501). */

import type { Path } from '../../../core/diagnostic.ts'
import { nearest, printable } from '../../../core/text.ts'
import { keysMadeBy } from '../../../expr/jsonata/jsonata.ts'
import { pathInBatch } from '../../../expr/path.ts'
import { partsOf } from '../../../expr/path-parts.ts'
import { placeholders } from '../../../expr/placeholder.ts'
import { hasFallback } from '../../../expr/template.ts'
import type { Subject } from '../subject.ts'

/**
 * Reports the placeholders whose first key no branch of the transform writes. Nothing is said of a transform that takes keys from the
 * payload. `texts`: the templates of the route.
 */
export const reviewTransformKeys = ({ spec, say }: Subject, texts: readonly { readonly path: Path; readonly text: string }[]): void => {
  const keys = spec.transform === undefined ? undefined : keysMadeBy(spec.transform)
  if (!keys) return
  for (const { path, text } of texts)
    for (const read of placeholders(text)) {
      const [first = ''] = partsOf(read)
      const isElsewhere = read.startsWith('=') || read === '__raw__' || hasFallback(read) || pathInBatch(read) !== undefined
      if (isElsewhere || keys.has(first)) continue
      const near = nearest(first, [...keys])
      say('WH501', path, `{${printable(read, 80)}} is not in what "transform" makes: it has ${[...keys].join(', ') || 'no keys'}`, {
        help: near.length > 0 ? `did you mean {${near[0]}}?` : 'add the key to the transform, or read one that it has',
        suggest: near,
      })
    }
}
