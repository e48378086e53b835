/** Panes, which are parts of a screen: `Pane` cuts a column of rows to its room, and `Beside` puts two panes beside each other. */

import { Box } from 'ink'
import type { ReactNode } from 'react'
import { barWidth, type Room } from '../model/room.ts'

type PaneProps = Partial<Room> & { readonly children?: ReactNode }

/** Shows a pane. The inner box keeps Ink from squeezing the rows if there are more rows than room. */
export const Pane = ({ children, ...room }: PaneProps) => (
  <Box {...room} flexDirection="column" flexShrink={0} overflowY="hidden">
    <Box flexDirection="column" flexShrink={0}>
      {children}
    </Box>
  </Box>
)

type BesideProps = {
  readonly room: Room
  readonly left: number
  readonly children: readonly [ReactNode, ReactNode]
}

/** Shows two panes beside each other, with a bar between them. */
export const Beside = ({ room: { width, height }, left, children: [first, second] }: BesideProps) => (
  <Box height={height} flexShrink={0}>
    <Pane width={left} height={height}>
      {first}
    </Pane>
    <Box height={height} marginLeft={1} borderStyle="single" borderDimColor borderTop={false} borderBottom={false} borderRight={false} />
    <Box marginLeft={1}>
      <Pane width={width - left - barWidth} height={height}>
        {second}
      </Pane>
    </Box>
  </Box>
)
