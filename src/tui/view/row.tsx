/** A row of the terminal, and several rows of one tone. */

import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import type { Tone } from '../model/remark.ts'
import { Span } from './span.tsx'

/** Shows a row, cut with an ellipsis if it is too long. */
export const Row = ({ children }: { readonly children: ReactNode }) => <Text wrap="truncate">{children}</Text>

export const Gap = ({ rows = 1 }: { readonly rows?: number }) => <Box height={rows} flexShrink={0} />

type Props = { readonly of: readonly string[]; readonly tone?: Tone }

/** Shows each text as a row. An empty text gets a blank, because Ink gives no row to an empty text. */
export const Rows = ({ of: lines, tone = 'plain' }: Props) =>
  lines
    .map((text, at) => ({ text, at }))
    .map(({ text, at }) => (
      <Row key={at}>
        <Span tone={tone}>{text || ' '}</Span>
      </Row>
    ))
