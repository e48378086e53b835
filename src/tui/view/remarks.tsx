/** Shows remarks below each other. Ink breaks each remark into lines. All lines of a remark with a mark stand to the right of the mark. */

import { Box, Text } from 'ink'
import { markWidth, type Remark } from '../model/remark.ts'
import { Span } from './span.tsx'

export const Remarks = ({ of: remarks }: { readonly of: readonly Remark[] }) =>
  remarks.map((remark, at) => ({ remark, at })).map(({ remark, at }) => <OneRemark key={at} remark={remark} />)

const OneRemark = ({ remark: { text, tone, isMarked } }: { readonly remark: Remark }) => (
  <Box flexShrink={0}>
    {isMarked && (
      <Box width={markWidth} flexShrink={0}>
        <Text>
          <Span tone={tone}>!</Span>
        </Text>
      </Box>
    )}
    <Box flexGrow={1} flexBasis={0}>
      <Text>
        <Span tone={tone}>{text}</Span>
      </Text>
    </Box>
  </Box>
)
