/**
 * What this browser may do, as the server said. The server checks it again at each question; the pages only leave out what would be
 * refused.
 */

import { signal } from '@preact/signals'
import type { Right } from '../access/users.ts'

export const rights = signal<readonly Right[]>([])

export const may = (right: Right): boolean => rights.value.includes(right)
