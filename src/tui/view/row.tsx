/** A row of the terminal, and rows of one tone below each other. */

import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import type { Tone } from '../model/remark.ts'
import { Span } from './span.tsx'

/** Cut with an ellipsis where it is too long. */
export const Row = ({ children }: { readonly children: ReactNode }) => <Text wrap="truncate">{children}</Text>

export const Gap = ({ rows = 1 }: { readonly rows?: number }) => <Box height={rows} flexShrink={0} />

type Props = { readonly of: readonly string[]; readonly tone?: Tone }

/** An empty line has a blank: without a text Ink gives it no row. */
export const Rows = ({ of: lines, tone = 'plain' }: Props) =>
  lines
    .map((text, at) => ({ text, at }))
    .map(({ text, at }) => (
      <Row key={at}>
        <Span tone={tone}>{text || ' '}</Span>
      </Row>
    ))
