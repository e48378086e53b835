/** Parts of the screen: a column of rows that is cut to its room, and two such columns beside each other. */

import { Box } from 'ink'
import type { ReactNode } from 'react'
import { barWidth, type Room } from '../model/room.ts'

type PaneProps = Partial<Room> & { readonly children?: ReactNode }

/** Shows a pane. The inner box keeps rows from being squeezed if there are too many of them. */
export const Pane = ({ children, ...room }: PaneProps) => (
  <Box {...room} flexDirection="column" flexShrink={0} overflowY="hidden">
    <Box flexDirection="column" flexShrink={0}>
      {children}
    </Box>
  </Box>
)

type BesideProps = {
  readonly room: Room
  /** The width of the left pane. */
  readonly left: number
  readonly children: readonly [ReactNode, ReactNode]
}

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
